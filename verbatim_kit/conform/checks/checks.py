"""The checks of a contract's operations."""

import json
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from verbatim_kit.conform.bounds.boundaries import Row, Verdict
from verbatim_kit.conform.bounds.verdicts import deviation
from verbatim_kit.conform.checks.fuzzing import Fuzz
from verbatim_kit.conform.checks.names import CHECKS
from verbatim_kit.conform.checks.presence import absence
from verbatim_kit.conform.checks.recording import Recorded
from verbatim_kit.conform.checks.streams import stream_faults
from verbatim_kit.conform.checks.web_sockets import web_socket_faults
from verbatim_kit.conform.client import NoAnswer
from verbatim_kit.conform.document import Endpoint, endpoints
from verbatim_kit.conform.finding import FoundFault, Instance, Result, grouped
from verbatim_kit.conform.place import ABSENT
from verbatim_kit.conform.request import Request
from verbatim_kit.conform.target import Target, is_of, no_answer
from verbatim_kit.openapi.version_3_2 import as_3_2

_NUM_AT_ONCE = 8
LATE = "skipped: the time limit was reached"
"""The note of a check that was skipped because of the time limit."""

_OUTCOMES = {
    Verdict.ACCEPTED: "A request that the document allows is refused",
    Verdict.REFUSED: "A request that the document forbids is not refused with the declared error",
}


class RunLimits(NamedTuple):
    """The limits of a run.

    num_examples: random requests for each operation. timeout_s: of each request. deadline_s: time.monotonic()
    after which no request is sent; None for no deadline. checks: names of the checks to run.
    """

    num_examples: int
    timeout_s: float
    deadline_s: float | None = None
    checks: Collection[str] = CHECKS

    @property
    def is_over(self) -> bool:
        return self.deadline_s is not None and time.monotonic() > self.deadline_s

    @property
    def left_s(self) -> float | None:
        return None if self.deadline_s is None else max(1.0, self.deadline_s - time.monotonic())


def check(
    target: Target, chosen: Sequence[Endpoint], limits: RunLimits, log: Callable[[str], None]
) -> Iterator[Result]:
    """Run the checks of the chosen operations and yield their results.

    log: called with a line of text about the progress.
    """
    present = []
    for endpoint in chosen:
        absent = absence(target, endpoint)
        yield Result(endpoint, "presence", 1, grouped("presence", [absent] if absent else []))
        if absent is None:
            present.append(endpoint)
    for endpoint in present:
        log(f"{endpoint.method} {endpoint.path}")
        if "examples" in limits.checks:
            yield _examples(target, endpoint)
        if "streams" in limits.checks and endpoint.can_stream:
            yield _streams(target, endpoint)
        if "sockets" in limits.checks and endpoint.takes_messages:
            yield _sockets(target, endpoint, limits)
        if "bounds" in limits.checks and endpoint.validation_status is not None:
            yield _bounds(target, endpoint, limits)
    if "fuzz" in limits.checks and present and limits.num_examples:
        log("generated requests")
        yield from _fuzz(target, present, limits)


def _examples(target: Target, endpoint: Endpoint) -> Result:
    requests = list(target.table.examples(endpoint))
    faults = [fault for name, request in requests for fault in _example(target, endpoint, name, request)]
    return Result(endpoint, "examples", len(requests), grouped("examples", faults))


def _example(target: Target, endpoint: Endpoint, name: str, request: Request) -> list[FoundFault]:
    label = f"example {name}"
    try:
        answer = target.client.send(request)
    except NoAnswer as error:
        return [no_answer(label, request, error)]
    faults = list(target.judged(label, request, answer))
    is_excused = answer.status == endpoint.validation_status and target.table.may_be_refused(
        endpoint, request.body
    )
    if answer.status >= 400 and not is_excused:
        message = f"{answer.status}: {answer.text[:300]}"
        faults.insert(
            0, FoundFault("The document's own example is refused", Instance(label, message, request, answer))
        )
    return faults


def _streams(target: Target, endpoint: Endpoint) -> Result:
    found = list(stream_faults(target, endpoint))
    faults = [fault for _, some in found for fault in some]
    return Result(endpoint, "streams", sum(number for number, _ in found), grouped("streams", faults))


def _sockets(target: Target, endpoint: Endpoint, limits: RunLimits) -> Result:
    found = list(web_socket_faults(target, endpoint, limits.timeout_s))
    faults = [fault for _, some in found for fault in some]
    return Result(endpoint, "sockets", sum(number for number, _ in found), grouped("sockets", faults))


def _bounds(target: Target, endpoint: Endpoint, limits: RunLimits) -> Result:
    rows = list(target.table.rows_of(endpoint))
    with ThreadPoolExecutor(_NUM_AT_ONCE) as pool:
        found = list(pool.map(lambda row: _bound(target, row, limits), rows))
    sent = [faults for faults in found if faults is not None]
    note = f"{len(found) - len(sent)} rows {LATE}" if len(sent) < len(found) else ""
    faults = [fault for some in sent for fault in some]
    return Result(endpoint, "bounds", len(sent), grouped("bounds", faults), note)


def _bound(target: Target, row: Row, limits: RunLimits) -> list[FoundFault] | None:
    """Send the request of a row and return its faults; None if the time limit was reached before."""
    if limits.is_over:
        return None
    label = f"{row.field or 'body'}: {row.keyword}, {_shown(row)}"
    try:
        answer = target.client.send(row.request)
    except NoAnswer as error:
        return [no_answer(label, row.request, error)]
    message = deviation(row, answer)
    faults = list(target.judged(label, row.request, answer))
    if message is not None:
        kind = _kind_of(row, message)
        expected = f"{row.field or 'The body'}: {_schema(row)}"
        faults.insert(0, FoundFault(kind, Instance(label, message, row.request, answer, expected)))
    return faults


def _kind_of(row: Row, message: str) -> str:
    if message.startswith("The server failed"):
        return "The server failed"
    if message.startswith("The error does not name"):
        return "The error does not name the field that is wrong"
    return _OUTCOMES[row.verdict]


def _schema(row: Row) -> str:
    """Return the row's JSON Schema as JSON text without titles and descriptions, cut to 500 characters."""
    bare = {key: value for key, value in row.schema.items() if key not in ("description", "title")}
    text = json.dumps(bare)
    rule = f" ({row.reason})" if row.reason else ""
    return (text if len(text) < 500 else f"{text[:500]}...") + rule


def _shown(row: Row) -> str:
    text = "absent" if row.value is ABSENT else json.dumps(row.value)
    return text if len(text) < 60 else f"{text[:40]}... ({len(text)} characters)"


def _fuzz(target: Target, chosen: Sequence[Endpoint], limits: RunLimits) -> Iterator[Result]:
    if limits.is_over:
        yield from (Result(endpoint, "fuzz", 0, note=LATE) for endpoint in chosen)
        return
    recorded = fuzz_of(target, chosen, limits).run()
    for endpoint in chosen:
        name = f"{endpoint.method} {endpoint.path}"
        own = [exchange for exchange in recorded if exchange.operation == name]
        faults = [fault for exchange in own for fault in fuzz_faults(target, exchange)]
        yield Result(endpoint, "fuzz", len(own), grouped("fuzz", faults), "" if own else LATE)


def fuzz_of(target: Target, chosen: Sequence[Endpoint], limits: RunLimits) -> Fuzz:
    """Return the fuzzing run for the operations of a server."""
    return Fuzz(
        target.contract.rules,
        as_3_2(target.document),
        chosen,
        target.client.url,
        target.names,
        target.client.headers,
        limits.num_examples,
        limits.timeout_s,
        limits.left_s,
    )


def fuzz_faults(target: Target, recorded: Recorded) -> Iterator[FoundFault]:
    """Yield the faults that schemathesis and the judge find in a recorded exchange."""
    request = Request(recorded.method, recorded.path, ABSENT, recorded.headers, recorded.body)
    label = f"generated {recorded.method} {recorded.path[:60]}"
    for title, message in recorded.faults:
        yield FoundFault(title, Instance(label, message or title, request, recorded.answer))
    answer = recorded.answer
    if answer is None:
        yield no_answer(label, request, NoAnswer("the connection failed or timed out"))
    elif is_declared(target, request):
        yield from target.judged(label, request, answer)


def is_declared(target: Target, request: Request) -> bool:
    """Return whether the document has the operation; schemathesis also sends undeclared methods."""
    return any(is_of(endpoint, request.method, request.path) for endpoint in endpoints(target.document))
