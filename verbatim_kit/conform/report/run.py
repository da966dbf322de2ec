"""The results of a run against one server."""

import shlex
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from verbatim_kit.conform.document import Endpoint
from verbatim_kit.conform.finding import Finding, Instance, Result, Subject
from verbatim_kit.judge.references import resolve

Kind = Literal["contract", "profile"]
"""The standard that a server is checked against: a contract, or the programs of a profile."""


class Run(NamedTuple):
    """A completed run.

    kind, name: the contract or profile that the server was checked against. checks: the columns of the
    report, each with a short description. url: base URL of the server. began: start time in ISO 8601.
    headers: names of the headers sent with every request, each with a shell variable that replaces its value
    in the report's commands. document: the contract's OpenAPI document; empty for a profile.
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
        """Return the result of a check of a subject; None if the check was not run."""
        found = (
            result for result in self.results if result.subject.id == subject.id and result.check == check
        )
        return next(found, None)

    def expected(self, subject: Subject, instance: Instance) -> str:
        """Return what the document states about the place of a fault, or the reason a program requires it."""
        if instance.expected or not isinstance(subject, Endpoint):
            return instance.expected
        node = self.document["paths"][subject.path][subject.method.lower()]
        answers = (
            f"{status} {', '.join(resolve(self.document, answer).get('content', {})) or 'no body'}"
            for status, answer in node["responses"].items()
        )
        return "Declared answers: " + "; ".join(answers)

    def curl(self, instance: Instance) -> str:
        """Return a curl command that repeats the request."""
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
