"""JSON and JUnit XML."""

import json
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from handlers.conform.finding import Finding, Instance, Result, Subject
from handlers.conform.report.run import Run


def render_json(run: Run) -> str:
    """Everything, with whole bodies."""
    report = {
        run.kind: run.name,
        "url": run.url,
        "began": run.began,
        "seconds": round(run.seconds, 1),
        "num_faults": len(run.findings),
        "results": [_result(run, result) for result in run.results],
    }
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _result(run: Run, result: Result) -> dict[str, Any]:
    return {
        **result.subject.members(),
        "check": result.check,
        "num_requests": result.num_requests,
        "note": result.note,
        "findings": [_finding(run, result.subject, finding) for finding in result.findings],
    }


def _finding(run: Run, subject: Subject, finding: Finding) -> dict[str, Any]:
    return {
        "title": finding.title,
        "instances": [_instance(run, subject, instance) for instance in finding.instances],
    }


def _instance(run: Run, subject: Subject, instance: Instance) -> dict[str, Any]:
    answer = instance.answer
    return {
        "label": instance.label,
        "told": instance.message,
        "document": run.says(subject, instance),
        "curl": run.curl(instance),
        "answer": None
        if answer is None
        else {"status": answer.status, "headers": list(answer.headers), "body": answer.text},
    }


def render_junit(run: Run) -> str:
    """A test case for each check of each subject."""
    suite = Element(
        "testsuite",
        name=f"verbatim conform {run.name}",
        tests=str(len(run.results)),
        failures=str(sum(bool(result.findings) for result in run.results)),
        time=f"{run.seconds:.1f}",
        timestamp=run.began,
    )
    for result in run.results:
        classname = f"{run.name}.{result.check}"
        case = SubElement(suite, "testcase", classname=classname, name=result.subject.title)
        if result.findings:
            titles = [f"{one.title}: {one.instances[0].message}" for one in result.findings]
            failure = SubElement(case, "failure", message=_plain(result.findings[0].title))
            failure.text = _plain("\n\n".join(titles))
        elif not result.num_requests:
            SubElement(case, "skipped", message=result.note)
    return tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _plain(text: str) -> str:
    """Without what XML cannot hold (XML 1.0, 2.2)."""
    return "".join(one for one in text if one in "\t\n\r" or " " <= one <= "\ud7ff" or one >= "\ue000")
