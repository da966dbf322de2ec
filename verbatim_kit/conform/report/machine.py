"""The machine-readable reports: JSON and JUnit XML."""

import json
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from verbatim_kit.conform.finding import Finding, Instance, Result, Subject
from verbatim_kit.conform.report.run import Run


def render_json(run: Run) -> str:
    """Return report.json: all results, with complete bodies."""
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
        "message": instance.message,
        "document": run.expected(subject, instance),
        "curl": run.curl(instance),
        "answer": None
        if answer is None
        else {"status": answer.status, "headers": list(answer.headers), "body": answer.text},
    }


def render_junit(run: Run) -> str:
    """Return junit.xml, with a test case for each check of each subject."""
    suite = Element(
        "testsuite",
        name=f"conform {run.name}",
        tests=str(len(run.results)),
        failures=str(sum(bool(result.findings) for result in run.results)),
        time=f"{run.seconds:.1f}",
        timestamp=run.began,
    )
    for result in run.results:
        classname = f"{run.name}.{result.check}"
        case = SubElement(suite, "testcase", classname=classname, name=result.subject.title)
        if result.findings:
            titles = [f"{finding.title}: {finding.instances[0].message}" for finding in result.findings]
            failure = SubElement(case, "failure", message=_plain(result.findings[0].title))
            failure.text = _plain("\n\n".join(titles))
        elif not result.num_requests:
            SubElement(case, "skipped", message=result.note)
    return tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _plain(text: str) -> str:
    """Remove the characters that XML does not allow (XML 1.0, 2.2)."""
    return "".join(char for char in text if char in "\t\n\r" or " " <= char <= "\ud7ff" or char >= "\ue000")
