"""The summary of a run for the terminal."""

from collections.abc import Iterator

from verbatim_kit.conform.report.run import Run

_WIDTH = 160
_MAX_FINDINGS = 25


def render_summary(run: Run) -> str:
    """Return the summary: a line for each subject, then two for each kind of fault."""
    return "\n".join([*_subjects(run), "", *_findings(run)])


def _subjects(run: Run) -> Iterator[str]:
    width = max(len(subject.title) for subject in run.subjects)
    for subject in run.subjects:
        results = [result for result in run.results if result.subject.id == subject.id]
        num_faults = sum(len(result.findings) for result in results)
        num_requests = sum(result.num_requests for result in results)
        verdict = f"{num_faults} fault{'s' * (num_faults != 1)}" if num_faults else "ok"
        verdict = verdict if num_requests else "-"
        notes = {result.note for result in results if result.note}
        late = f" ({'; '.join(sorted(notes))})" if notes else ""
        yield f"  {subject.title:{width}}  {verdict:10}{num_requests:6} requests{late}"


def _findings(run: Run) -> Iterator[str]:
    for subject, finding in run.findings[:_MAX_FINDINGS]:
        times = f" ({len(finding.instances)} times)" if len(finding.instances) > 1 else ""
        line = f"{subject.title}: {finding.title}{times}"
        yield line[:_WIDTH]
        yield f"    {finding.instances[0].label}: {finding.instances[0].message}".replace("\n", " ")[:_WIDTH]
    left = len(run.findings) - _MAX_FINDINGS
    if left > 0:
        yield f"and {left} more"
    number = len(run.findings)
    yield f"{number} fault{'s' * (number != 1)} in {run.num_requests} requests, {run.seconds:.0f} s"
