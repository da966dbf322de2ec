"""The description of a generated operation for whatever serves it, and what its handler is given."""

from abc import ABC
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, NewType, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel

AnswerT = TypeVar("AnswerT")
EventT = TypeVar("EventT")
HeadersT = TypeVar("HeadersT", contravariant=True)

EncodedAnswer = NewType("EncodedAnswer", bytes)
"""A whole answer as JSON text, for handlers that write a plain one without building its model."""

Answer: TypeAlias = AnswerT | EncodedAnswer
"""What an operation answers with as `application/json`."""

EncodedEvent = NewType("EncodedEvent", bytes)
"""One event, or line, as JSON text, for handlers that write a token's event without building its model."""

EventStream: TypeAlias = AsyncGenerator[EventT | EncodedEvent, None]
"""A stream that an operation answers with, of events or of lines. Closing it must stop the work behind it."""


class FileContent(NamedTuple):
    """A file that an operation answers with, piece by piece. pieces: `num_bytes` in all."""

    num_bytes: int
    pieces: AsyncIterator[bytes]


class Call(Protocol[HeadersT]):
    """The request around the body, and the headers of its answer.

    headers: of the request, names in lower case. path: as requested, without query.
    received_s: when the request arrived, by time.perf_counter().
    request_id: what its client, or else the server, calls it in logs; unique only if the server chose it.
    connection: what handlers keep for the other messages of the same WebSocket; None for a request by itself.
    """

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def path(self) -> str: ...

    @property
    def received_s(self) -> float: ...

    @property
    def request_id(self) -> str: ...

    @property
    def connection(self) -> dict[str, Any] | None: ...

    def respond_with(self, headers: HeadersT) -> None:
        """Adds headers to the successful answer; for a stream, before its first event."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter outside the body.

    is_text: its schema is a string; otherwise its text is read as JSON. is_list: it is an array, whose items
    come one by one under the same name, and is_text is of them.
    """

    name: str
    location: Literal["path", "query", "header"]
    is_text: bool
    is_list: bool = False

    @property
    def member(self) -> str:
        """Its name among the arguments, which is without the brackets that some write after a list's."""
        return self.name.removesuffix("[]") if self.is_list else self.name


@dataclass(frozen=True, slots=True)
class FormField:
    """A member of a body that comes as `multipart/form-data`.

    kind: `text` stays as it is, `json` is read as JSON, `file` becomes an Upload. is_list: it is an array,
    whose items come one by one under the same name, and kind is of them. members: those of the object that it
    may be in place of a text, which come as parts called `name[member]`, or as one text in JSON.
    """

    name: str
    kind: Literal["text", "json", "file"]
    is_list: bool = False
    members: tuple["FormField", ...] = ()

    @property
    def member(self) -> str:
        """Its name in the model, which is without the brackets that some write after a list's."""
        return self.name.removesuffix("[]")


@dataclass(frozen=True, slots=True)
class WebSocketForm:
    """The form of messages by which clients ask for an operation over a WebSocket, whose answer is a stream.

    A message is the operation's body with two differences. type: what its member `type` must say.
    without: members of the body that no message may have. sets: members that the server adds to it.
    """

    type: str
    without: tuple[str, ...] = ()
    sets: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation of a contract, as its effective document states it.

    id: its operationId. handler: the method that implements it. path: a template when it has parameters, in
    which `{name}` takes one segment and `{name:path}` takes slashes too.
    arguments: model of the parameters together, by their names.
    is_body_required: whether an empty body is no body of the operation's; else the handler gets None for it.
    reads_any_media_type: whether a body is read as JSON whatever its content type says.
    form: the members of a body that comes as `multipart/form-data`; empty for one that comes as JSON.
    status, response, media_type: of the only successful answer; no media type means an empty body.
    text_media_type: of a text that it may answer with in place of JSON; None where it may not.
    event: what one event, or line, of a stream carries, where the operation can answer with a stream.
    event_media_type: what such a stream's content type says: `text/event-stream`, or a type of lines of JSON.
    event_name: the property of an event whose text stands in the `event:` line; no such line without it.
    terminator: the data of the event that ends every such stream, failed ones too.
    web_socket: the form of its messages, where it can be asked for over a WebSocket.
    headers: names that a successful answer may carry, and whether it must.
    errors: the body of each other declared status; None for an empty one.
    validation_status: which of them says that the request does not match the document.
    is_secured: whether the document asks for a key.
    key_headers: the headers that may carry the key, in lower case; `authorization` as a bearer token.
    """

    id: str
    handler: str
    method: str
    path: str
    summary: str
    parameters: tuple[Parameter, ...] = ()
    arguments: type[BaseModel] | None = None
    body: Any = None
    is_body_required: bool = True
    reads_any_media_type: bool = False
    form: tuple[FormField, ...] = ()
    status: int = 200
    response: Any = None
    media_type: str | None = None
    text_media_type: str | None = None
    event: Any = None
    event_media_type: str = "text/event-stream"
    event_name: str | None = None
    terminator: str | None = None
    web_socket: WebSocketForm | None = None
    headers: Mapping[str, bool] = field(default_factory=dict)
    errors: Mapping[int, type[BaseModel] | None] = field(default_factory=dict)
    validation_status: int | None = None
    is_secured: bool = False
    key_headers: tuple[str, ...] = ("authorization",)


class Handlers(ABC):
    """Base of every contract's interface: `table` describes its operations in document order."""

    table: ClassVar[tuple[Operation, ...]]
