"""The effective OpenAPI document of a contract, and its operations."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from verbatim_kit.judge.references import resolve
from verbatim_kit.openapi.streams import is_stream

Json: TypeAlias = Any
Schema: TypeAlias = Mapping[str, Any]

WEB_SOCKET: Final = "x-websocket"

_METHODS = ("get", "put", "post", "delete", "patch")
_FORM = "multipart/form-data"
_VALIDATION_STATUSES = (422, 400)


class Parameter(NamedTuple):
    """A parameter of an operation. location: `path`, `query` or `header`."""

    name: str
    location: str
    is_required: bool
    schema: Schema


class Endpoint(NamedTuple):
    """One operation of the document.

    id: the operationId. body: schema of the request body; None without one. examples: valid bodies by name.
    statuses: all declared statuses. validation_status: the status of the answer to an invalid request; None
    for an operation without input. streams: the media types of streams that it may answer with, without
    parameters. is_stateful: the answer depends on earlier requests or on resources that the server's operator
    provided. takes_messages: it may be asked for over a WebSocket.
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
    streams: frozenset[str]
    is_stateful: bool
    takes_messages: bool = False

    @property
    def can_stream(self) -> bool:
        """Return whether an answer may be a stream."""
        return bool(self.streams)

    @property
    def title(self) -> str:
        return f"{self.method} {self.path}"

    def members(self) -> dict[str, Json]:
        """Return the members that identify the operation in report.json."""
        return {"operation": self.id, "method": self.method, "path": self.path}


def endpoints(document: Mapping[str, Any]) -> Iterator[Endpoint]:
    """Yield the operations in document order, except those whose body is a form.

    The answer to a form depends on an uploaded file and on the kinds of files that the model reads.
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
        streams=frozenset(
            name.partition(";")[0].strip().lower()
            for answer in answers
            for name in resolve(document, answer).get("content", {})
            if is_stream(name)
        ),
        is_stateful=node.get("x-stateful", False),
        takes_messages=WEB_SOCKET in node,
    )


def _parameters(document: Mapping[str, Any], nodes: list[Any]) -> Iterator[Parameter]:
    """Yield the parameters; an operation's override its path's of equal name (OpenAPI 3.1, 4.8.9.1)."""
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
