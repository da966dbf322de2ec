"""A contract's effective document, and the operations in it."""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

from handlers.checking.references import resolve

Json: TypeAlias = Any
Schema: TypeAlias = Mapping[str, Any]

_METHODS = ("get", "put", "post", "delete", "patch")
_EVENTS = "text/event-stream"
_FORM = "multipart/form-data"
_VALIDATION_STATUSES = (422, 400)


class Parameter(NamedTuple):
    """A parameter outside the body. location: path, query or header."""

    name: str
    location: str
    is_required: bool
    schema: Schema


class Endpoint(NamedTuple):
    """One operation as the document states it.

    body: the schema of a request's body; None where there is none. examples: valid bodies, by name.
    can_stream: whether an answer may be an event stream.
    validation_status: what refuses an invalid request; None for an operation that takes no input.
    statuses: all that are declared. is_stateful: whether it finds nothing unless earlier requests, or the
    server's operator, have put it there.
    """

    id: str
    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Schema | None
    is_body_required: bool
    examples: Mapping[str, Json]
    statuses: frozenset[int]
    validation_status: int | None
    can_stream: bool
    is_stateful: bool

    @property
    def title(self) -> str:
        return f"{self.method} {self.path}"

    def members(self) -> dict[str, Json]:
        """Return the members that stand for it in report.json."""
        return {"operation": self.id, "method": self.method, "path": self.path}


def load(contract: str) -> dict[str, Any]:
    """The effective document of a contract of ours."""
    document: dict[str, Any] = json.loads(
        files(f"generated.{contract}").joinpath("openapi.json").read_bytes()
    )
    return document


def endpoints(document: Mapping[str, Any]) -> Iterator[Endpoint]:
    """Every operation, in document order, but those whose body is a form.

    What these answer depends on a file, and on whether the served model reads its kind.
    """
    for path, item in document["paths"].items():
        for method in (name for name in item if name in _METHODS):
            if not _takes_form(document, item[method]):
                yield _endpoint(document, path, method, item)


def _takes_form(document: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    return _FORM in resolve(document, node.get("requestBody", {})).get("content", {})


def _endpoint(document: Mapping[str, Any], path: str, method: str, item: Mapping[str, Any]) -> Endpoint:
    node = item[method]
    body = resolve(document, node.get("requestBody", {}))
    media = body.get("content", {}).get("application/json", {})
    parameters = tuple(_parameters(document, [*item.get("parameters", ()), *node.get("parameters", ())]))
    answers = node["responses"].values()
    statuses = frozenset(int(status) for status in node["responses"] if status.isdecimal())
    return Endpoint(
        id=node["operationId"],
        method=method.upper(),
        path=path,
        parameters=parameters,
        body=media.get("schema"),
        is_body_required=body.get("required", False),
        examples=_examples(media),
        statuses=statuses,
        validation_status=_validation_status(document, node, statuses) if media or parameters else None,
        can_stream=any(_EVENTS in resolve(document, one).get("content", {}) for one in answers),
        is_stateful=node.get("x-stateful", False),
    )


def _parameters(document: Mapping[str, Any], nodes: list[Any]) -> Iterator[Parameter]:
    """An operation's own win over its path's (OpenAPI 3.1, 4.8.9.1)."""
    found = {}
    for node in nodes:
        parameter = resolve(document, node)
        found[parameter["name"], parameter["in"]] = parameter
    for (name, location), parameter in found.items():
        yield Parameter(name, location, parameter.get("required", False), parameter["schema"])


def _examples(media: Mapping[str, Any]) -> dict[str, Json]:
    if "example" in media:
        return {"example": media["example"]}
    return {name: example["value"] for name, example in media.get("examples", {}).items()}


def _validation_status(
    document: Mapping[str, Any], node: Mapping[str, Any], statuses: frozenset[int]
) -> int | None:
    chosen = node.get("x-validation-status", document.get("x-validation-status"))
    declared = [status for status in _VALIDATION_STATUSES if status in statuses]
    return int(chosen) if chosen is not None else next(iter(declared), None)
