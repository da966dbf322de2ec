"""One run against one server."""

import shlex
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from handlers.checking.references import resolve
from handlers.conform.document import Endpoint
from handlers.conform.finding import Finding, Instance, Result, Subject

Kind = Literal["contract", "profile"]
"""What a server is held to: a contract, or the programs of a profile."""


class Run(NamedTuple):
    """kind, name: what the server was held to. checks: in the order of columns, each with a phrase about it.

    began: ISO 8601. headers: names of those that were sent with every request, with what stands for their
    values in a command that others may read. document: the contract's; empty for a profile.
    """

    kind: Kind
    name: str
    checks: Mapping[str, str]
    url: str
    began: str
    seconds: float
    results: tuple[Result, ...]
    headers: Mapping[str, str]
    document: Mapping[str, Any]

    @property
    def subjects(self) -> list[Subject]:
        return list({result.subject.id: result.subject for result in self.results}.values())

    @property
    def findings(self) -> list[tuple[Subject, Finding]]:
        return [(result.subject, finding) for result in self.results for finding in result.findings]

    @property
    def num_requests(self) -> int:
        return sum(result.num_requests for result in self.results)

    def of(self, subject: Subject, check: str) -> Result | None:
        """The result of a check of a subject; None if it was not made."""
        found = (one for one in self.results if one.subject.id == subject.id and one.check == check)
        return next(found, None)

    def says(self, subject: Subject, instance: Instance) -> str:
        """The document's own words about the place of a fault, or why a program needs it otherwise."""
        if instance.says or not isinstance(subject, Endpoint):
            return instance.says
        node = self.document["paths"][subject.path][subject.method.lower()]
        answers = (
            f"{status} {', '.join(resolve(self.document, answer).get('content', {})) or 'no body'}"
            for status, answer in node["responses"].items()
        )
        return "Declared answers: " + "; ".join(answers)

    def curl(self, instance: Instance) -> str:
        """A command that sends the request again."""
        request = instance.request
        parts = ["curl", "-i", "-X", request.method, shlex.quote(self.url + request.path)]
        headers = {**self.headers, **request.headers}
        if request.content is not None and not any(name.lower() == "content-type" for name in headers):
            headers["content-type"] = "application/json"
        for name, value in headers.items():
            parts += [
                "-H",
                f'"{name}: {value}"' if value.startswith("$") else shlex.quote(f"{name}: {value}"),
            ]
        if request.content is not None:
            parts += ["--data-raw", shlex.quote(request.content.decode(errors="replace"))]
        return " ".join(parts)
