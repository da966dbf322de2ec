"""The input of a client's method: an operation as its callers see it."""

import re
from dataclasses import dataclass
from typing import Any

from verbatim_kit.generate.reading.form import bare_name
from verbatim_kit.generate.reading.interface import FILE_CONTENT, ErrorAnswer, Interface
from verbatim_kit.openapi.streams import is_lines

_STREAM = "stream"


@dataclass(frozen=True)
class CallParameter:
    """A parameter outside the body. name: of the keyword argument; wire_name: the document's.

    default: what is sent if it is not given, which is nothing unless it is required. example: a value.
    """

    name: str
    wire_name: str
    location: str
    type: str
    is_required: bool
    default: str | None
    example: Any
    description: str

    @property
    def declaration(self) -> str:
        """The parameter's declaration in the method's signature."""
        if self.is_required:
            return f"{self.name}: {self.type}"
        if self.default is not None:
            return f"{self.name}: {self.type} = {self.default!r}"
        return f"{self.name}: {self.type} | None = None"


@dataclass(frozen=True)
class Call:
    """One operation.

    error_events: the alternatives of an event that tell that the stream failed; event: the others.
    body: the component of the body. form: of the type that callers give for it, which is called otherwise
    where `stream` is left out for them and not for others.
    takes_fields: whether the body's members are arguments, rather than the body.
    streams_by_default: whether the answer is a stream where the body's `stream` does not say.
    example: the members of a body that the document shows.
    """

    operation: Interface
    description: str
    parameters: tuple[CallParameter, ...]
    body: str | None
    form: str | None
    takes_fields: bool
    streams_by_default: bool
    event: str | None
    error_events: tuple[str, ...]
    example: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the method that answers whole, or of the only one."""
        return self.operation.handler

    @property
    def constant(self) -> str:
        """The name of its description."""
        return self.name.upper()

    @property
    def answer(self) -> str:
        """The type of a whole answer."""
        if self.operation.response == FILE_CONTENT:
            return "bytes"
        types = [self.operation.response, "str" if self.operation.text_media_type else None]
        return " | ".join(filter(None, types)) or "None"

    @property
    def files(self) -> list[str]:
        """The members of the body that are files."""
        return [bare_name(member.name) for member in self.operation.form if member.kind == "file"]

    @property
    def wire_names(self) -> dict[str, str]:
        """The names in a form of those members whose arguments are called otherwise."""
        names = {bare_name(member.name): member.name for member in self.operation.form}
        return {name: wire for name, wire in names.items() if name != wire}

    @property
    def chooses_stream(self) -> bool:
        """Return whether `stream`, of body or query, says if the answer is whole or comes in events."""
        return self.operation.event is not None and self.operation.media_type is not None

    def sent(self, parameter: CallParameter, *, streams: bool) -> str:
        """Return the expression of a parameter's value; the choice of a method stands for `stream`."""
        return repr(streams or None) if self.is_chosen(parameter) else parameter.name

    @property
    def stream_type(self) -> str:
        """The media type of the stream, without parameters; empty where it has none."""
        return (self.operation.event_media_type or "").partition(";")[0].strip().lower()

    @property
    def has_lines(self) -> bool:
        """Return whether the items of the stream are lines, rather than events."""
        return is_lines(self.stream_type)

    @property
    def stream_name(self) -> str | None:
        """The method that answers with events, where there is one."""
        if self.operation.event is None:
            return None
        return f"{_STREAM}_{self.name}" if self.chooses_stream else self.name

    @property
    def positional(self) -> list[CallParameter]:
        """The parameters of the path."""
        return [parameter for parameter in self.parameters if parameter.location == "path"]

    @property
    def keywords(self) -> list[CallParameter]:
        """The other parameters, those that must be given first."""
        others = [
            parameter
            for parameter in self.parameters
            if parameter.location != "path" and not self.is_chosen(parameter)
        ]
        return sorted(others, key=lambda parameter: not parameter.is_required)

    def is_chosen(self, parameter: CallParameter) -> bool:
        """Return whether the choice of a method stands for a parameter."""
        return self.chooses_stream and self.body is None and parameter.name == _STREAM

    @property
    def shown_body(self) -> dict[str, Any]:
        """The example without the member that the choice of a method stands for."""
        return {
            name: value
            for name, value in self.example.items()
            if not (self.chooses_stream and name == _STREAM)
        }

    @property
    def errors(self) -> tuple[ErrorAnswer, ...]:
        """By status."""
        return tuple(sorted(self.operation.errors, key=lambda error: error.status))

    @property
    def answer_models(self) -> set[str]:
        """The components that answers, events and errors consist of."""
        types = [self.operation.response, self.operation.event, *(error.model for error in self.errors)]
        return set(re.findall(r"\bm\.(\w+)", " ".join(filter(None, types))))
