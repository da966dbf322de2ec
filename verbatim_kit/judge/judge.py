"""The check of whole exchanges against an OpenAPI document alone."""

import re
from collections.abc import Iterator
from typing import Any, Final

from verbatim_kit.judge.answer import DeclaredAnswer, one_of
from verbatim_kit.judge.exchange import Exchange, Fault
from verbatim_kit.judge.references import resolve
from verbatim_kit.judge.schemas import Schemas

_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_SLASHES: Final = "x-path-parameter"


class DeclaredOperation:
    """The declaration of one operation. answers: by status."""

    def __init__(self, identity: str, answers: dict[int, DeclaredAnswer]) -> None:
        self.id = identity
        self.answers = answers

    def faults(self, exchange: Exchange) -> list[Fault]:
        """Return all faults of an answer, in the answer's order."""
        declared = self.answers.get(exchange.status)
        if declared is None:
            return [Fault("status", "status", f"{self.id} declares no status {exchange.status}")]
        faults = [*declared.head_faults(exchange.headers), *_length_faults(exchange)]
        if exchange.method == "HEAD":
            return faults
        return faults + declared.body_faults(exchange.headers, exchange.body, exchange.request_body)


class Judge:
    """The check of answers against a contract's effective OpenAPI 3.1 document.

    Raises ValueError, with the place, for a part of the document that cannot be read.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        schemas = Schemas(document)
        self._operations: list[tuple[str, re.Pattern[str], DeclaredOperation]] = []
        by_method: dict[tuple[str, str], DeclaredOperation] = {}
        for path, method, node in _operations(document):
            answers = _answers(document, f"{method} {path}", node, schemas)
            operation = DeclaredOperation(node.get("operationId", f"{method} {path}"), answers)
            by_method[method, path] = operation
            self._operations.append((method, _pattern(document, path, node), operation))
        # A path without parameters wins over a template (OpenAPI 3.1, 4.8.8.2), as does one that fixes more.
        self._operations.sort(key=lambda entry: (entry[1].groups > 0, -len(entry[1].pattern)))
        self._by_template = by_method

    def faults(self, exchange: Exchange) -> list[Fault]:
        """Return all faults of an answer, in the answer's order."""
        operation = self.find(exchange.method, exchange.path)
        if operation is None:
            return [Fault("operation", "path", f"No operation is {exchange.method} {exchange.path}")]
        return operation.faults(exchange)

    def find(self, method: str, path: str) -> DeclaredOperation | None:
        """Return the operation that answers a request; HEAD is answered as GET is."""
        wanted = "GET" if method == "HEAD" else method
        return next(
            (one for known, pattern, one in self._operations if known == wanted and pattern.fullmatch(path)),
            None,
        )

    def operation(self, method: str, template: str) -> DeclaredOperation:
        """Return the operation at a path template of the document. Raises KeyError if there is none."""
        return self._by_template[method, template]


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document.get("paths", {}).items():
        for method in _METHODS:
            if method in item:
                yield path, method.upper(), item[method]


def _answers(
    document: dict[str, Any], place: str, operation: dict[str, Any], schemas: Schemas
) -> dict[int, DeclaredAnswer]:
    answers = {}
    for status, node in operation["responses"].items():
        try:
            answers[int(status)] = DeclaredAnswer(document, resolve(document, node), schemas)
        except (ValueError, KeyError) as error:
            raise ValueError(f"{place} {status}: {error}") from None
    return answers


def _pattern(document: dict[str, Any], path: str, operation: dict[str, Any]) -> re.Pattern[str]:
    """Return a path's pattern. A parameter is one segment, or may have slashes where the document says so; it
    is never empty.
    """
    nodes = [*document["paths"][path].get("parameters", []), *operation.get("parameters", [])]
    parameters = {node["name"]: node for node in (resolve(document, node) for node in nodes)}
    parts = re.split(r"\{([^}]*)\}", path)
    wide = [parameters.get(name, {}).get(_SLASHES) == "path" for name in parts[1::2]]
    groups = [f"({'.' if many else '[^/]'}+)" for many in wide]
    text = "".join(re.escape(fixed) + group for fixed, group in zip(parts[::2], [*groups, ""], strict=True))
    return re.compile(text, re.DOTALL)


def _length_faults(exchange: Exchange) -> Iterator[Fault]:
    given = one_of(exchange.headers, "content-length")
    if given is None or exchange.method == "HEAD":
        return
    if given != str(len(exchange.body)):
        yield Fault(
            "length", "header content-length", f"It is {given}, the body has {len(exchange.body)} bytes"
        )
