"""Faults of a server, and the exchanges that showed them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from handlers.conform.client import Answer
from handlers.conform.request import Request


class Subject(Protocol):
    """A row of a report: an operation of a contract, or a program of a profile."""

    @property
    def id(self) -> str:
        """A name without spaces, unique in its report."""
        ...

    @property
    def title(self) -> str:
        """The name to show."""
        ...

    def members(self) -> dict[str, Any]:
        """Return the members that stand for it in report.json."""
        ...


class Instance(NamedTuple):
    """One exchange that shows a fault. label: what was tried. message: what is wrong with it.

    says: what the document says there, where that is not the list of declared answers.
    """

    label: str
    message: str
    request: Request
    answer: Answer | None = None
    says: str = ""


class FoundFault(NamedTuple):
    """A fault before it is grouped. kind: what all instances of one finding share."""

    kind: str
    instance: Instance


class Finding(NamedTuple):
    """One thing that is wrong with a subject, however often it showed. instances: the first one first."""

    check: str
    title: str
    instances: tuple[Instance, ...]


class Result(NamedTuple):
    """The result of one check of one subject. note: why it was left out, or what was; empty for neither."""

    subject: Subject
    check: str
    num_requests: int
    findings: tuple[Finding, ...] = ()
    note: str = ""


def grouped(check: str, faults: Iterable[FoundFault]) -> tuple[Finding, ...]:
    """The faults by kind, in the order in which each kind first showed."""
    found: dict[str, list[Instance]] = defaultdict(list)
    for fault in faults:
        found[fault.kind].append(fault.instance)
    return tuple(Finding(check, kind, tuple(instances)) for kind, instances in found.items())
