"""The server under test and the contract that its answers are checked against."""

import re
from collections.abc import Iterator, Mapping

from verbatim_kit.conform.bounds.boundaries import Table
from verbatim_kit.conform.client import Answer, Client, NoAnswer
from verbatim_kit.conform.contract import Contract
from verbatim_kit.conform.document import Endpoint
from verbatim_kit.conform.finding import FoundFault, Instance
from verbatim_kit.conform.request import Request
from verbatim_kit.judge.exchange import Exchange
from verbatim_kit.judge.judge import Judge

_HOP = ("content-encoding", "transfer-encoding")  # removed, since the HTTP client has decoded the body


class Target:
    """A server under test.

    names: parameter values by name; may include the body's `model`.
    """

    def __init__(self, contract: Contract, client: Client, names: Mapping[str, str]) -> None:
        self.contract = contract
        self.client = client
        self.names = names
        self.document = contract.document
        self.table = Table(self.document, contract.rules, names)
        self._judge = Judge(self.document)

    def faults(self, label: str, request: Request) -> Iterator[FoundFault]:
        """Send a request and yield the differences between its answer and the document.

        label: a short description of the request, for reports.
        """
        try:
            answer = self.client.send(request)
        except NoAnswer as error:
            yield no_answer(label, request, error)
            return
        yield from self.judged(label, request, answer)

    def judged(self, label: str, request: Request, answer: Answer) -> Iterator[FoundFault]:
        """Yield the differences between an answer and the document."""
        encoded = any(name == "content-encoding" for name, _ in answer.headers)
        dropped = (*_HOP, "content-length") if encoded else _HOP
        exchange = Exchange(
            request.method,
            request.path.partition("?")[0],
            request.content,
            answer.status,
            tuple(field for field in answer.headers if field[0] not in dropped),
            answer.body,
        )
        for fault in self._judge.faults(exchange):
            place = re.sub(r"\d+", "*", fault.place)
            message = f"{fault.place}: {fault.message}"
            yield FoundFault(
                _kind(fault.check, place, fault.message), Instance(label, message, request, answer)
            )


def no_answer(label: str, request: Request, error: Exception) -> FoundFault:
    """Return the fault of a request that was not answered."""
    return FoundFault("The server gave no answer", Instance(label, str(error), request))


def is_of(endpoint: Endpoint, method: str, path: str) -> bool:
    """Return whether a method and a path, with or without a query, belong to an operation."""
    template = re.sub(r"\\\{[^}]*\}", "[^/]+", re.escape(endpoint.path))
    return method == endpoint.method and re.fullmatch(template, path.partition("?")[0]) is not None


def _kind(check: str, place: str, message: str) -> str:
    """Return a title for grouping faults that differ only in numbers or in long quotations."""
    bare = re.sub(r"\d+(\.\d+)?", "*", re.sub(r"(['\"]).{25,}\1", "...", message))
    return f"{check}: {place}: {bare[:160]}"
