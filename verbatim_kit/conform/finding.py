"""Faults of a server, and the exchanges in which they occurred."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from verbatim_kit.conform.client import Answer
from verbatim_kit.conform.request import Request


class Subject(Protocol):
    """A row of the report: an operation of a contract or a program of a profile."""

    @property
    def id(self) -> str:
        """An identifier without spaces, unique in the report."""
        ...

    @property
    def title(self) -> str:
        """The display name."""
        ...

    def members(self) -> dict[str, Any]:
        """Return the members that identify the subject in report.json."""
        ...


class Instance(NamedTuple):
    """One occurrence of a fault.

    label: short description of the request. message: description of the fault. request, answer: the exchange;
    the answer is None if none was received. expected: what the document or program requires; empty if that is
    the list of the operation's declared answers.
    """

    label: str
    message: str
    request: Request
    answer: Answer | None = None
    expected: str = ""


class FoundFault(NamedTuple):
    """A fault that is not yet grouped. kind: the title of the finding that it belongs to."""

    kind: str
    instance: Instance


class Finding(NamedTuple):
    """One kind of fault of a subject, with all its occurrences in the order of discovery."""

    check: str
    title: str
    instances: tuple[Instance, ...]


class Result(NamedTuple):
    """The result of one check of one subject.

    note: reason why the check, or some of its requests, was skipped; empty if nothing was.
    """

    subject: Subject
    check: str
    num_requests: int
    findings: tuple[Finding, ...] = ()
    note: str = ""


def grouped(check: str, faults: Iterable[FoundFault]) -> tuple[Finding, ...]:
    """Group faults by kind, in the order in which each kind was first found."""
    found: dict[str, list[Instance]] = defaultdict(list)
    for fault in faults:
        found[fault.kind].append(fault.instance)
    return tuple(Finding(check, kind, tuple(instances)) for kind, instances in found.items())
