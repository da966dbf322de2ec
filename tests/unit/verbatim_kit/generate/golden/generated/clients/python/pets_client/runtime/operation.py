"""One operation of a contract: how it is asked, and how what comes back is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import to_json

from .errors import APIResponseValidationError, APIStatusError, APIStreamError
from .items import EVENTS

AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The arguments of a call. None is not sent."""

    path: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, object] = field(default_factory=dict)
    body: Any = None

    @property
    def content(self) -> bytes | None:
        """The body as JSON text."""
        return None if self.body is None else to_json(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[AnswerT, EventT]):
    """An operation of the contract's document; AnswerT and EventT are the types of what it answers with.

    path: a template, in which `{name}` takes one segment and `{name:path}` takes slashes too.
    answer: the type of a whole answer's JSON; None where there is none. is_text: it is text instead.
    is_file: it is the bytes of a file.
    may_be_text: an answer that is not declared as JSON is a text, whatever `answer` is.
    files: the members of a body that comes as `multipart/form-data` which are files; None for a body as JSON.
    wire_names: of those of its members that are called otherwise on the wire.
    event: the type of one event's data, or of a line. error_events: the alternatives that tell that the
    stream failed. event_media_type: of the stream, without parameters.
    terminator: the data of the event that ends every stream.
    errors: the class of each declared status, with the type of its body, None where that is empty.
    """

    method: str
    path: str
    answer: Any = None
    is_text: bool = False
    is_file: bool = False
    may_be_text: bool = False
    files: frozenset[str] | None = None
    wire_names: Mapping[str, str] = field(default_factory=dict)
    event: Any = None
    error_events: tuple[type[BaseModel], ...] = ()
    event_media_type: str = EVENTS
    terminator: str | None = None
    errors: Mapping[int, tuple[type[APIStatusError[Any]], Any]] = field(default_factory=dict)

    def url(self, values: Mapping[str, object]) -> str:
        """The path with its parameters written in."""
        path = self.path
        for name, value in values.items():
            path = path.replace(f"{{{name}}}", quote(_text(value), safe=""))
            path = path.replace(f"{{{name}:path}}", quote(_text(value)))
        return path

    def read(self, response: httpx.Response) -> AnswerT:
        """A whole answer. Raises APIStatusError and APIResponseValidationError."""
        if not response.is_success:
            raise self.error(response)
        answer: Any = None
        if self.is_file:
            answer = response.content
        elif self.is_text or (self.may_be_text and not _is_json(response)):
            answer = response.text
        elif self.answer is not None:
            answer = _decode(self.answer, response.text)
        return answer  # type: ignore[no-any-return]  # `answer` is the type that AnswerT stands for

    def read_event(self, data: str) -> EventT:
        """One event's data, or a line. Raises APIStreamError and APIResponseValidationError."""
        event = _decode(self.event, data)
        if isinstance(event, self.error_events):
            raise APIStreamError(data, event)
        return event  # type: ignore[no-any-return]  # as above

    def error(self, response: httpx.Response) -> APIStatusError[Any]:
        """The error to raise for an answer that is not a success, its body read."""
        kind, model = self.errors.get(response.status_code, (APIStatusError, None))
        try:
            body = None if model is None else _adapter(model).validate_json(response.content)
        except ValidationError:
            body = None
        return kind(response.status_code, dict(response.headers), response.text, body)


def _is_json(response: httpx.Response) -> bool:
    content_type: str = response.headers.get("content-type", "")
    return content_type.partition(";")[0].strip() == "application/json"


def parameter_texts(values: Mapping[str, object]) -> dict[str, str]:
    """Headers as they are sent."""
    return {name: _text(value) for name, value in values.items() if value is not None}


def query_texts(values: Mapping[str, object]) -> dict[str, list[str]]:
    """Query parameters as they are sent: the items of a list one by one, under its name."""
    return {
        name: [_text(item) for item in (value if isinstance(value, list | tuple) else [value])]
        for name, value in values.items()
        if value is not None
    }


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decode(kind: Any, text: str) -> Any:
    try:
        return _adapter(kind).validate_json(text)
    except ValidationError as error:
        raise APIResponseValidationError(f"not what the contract's document says: {error}", text) from error


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
