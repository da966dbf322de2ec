"""The input of `operations.py`: a contract's operations, their types as Python expressions."""

import re
from dataclasses import dataclass
from typing import Any, Final

FILE_CONTENT: Final = "FileContent"
"""The type of an answer that is a file, as `response` has it."""


@dataclass(frozen=True)
class ParameterField:
    """A parameter outside the body, as the emitted `Parameter` has it. takes_slashes: of a path parameter."""

    name: str
    location: str
    is_text: bool
    is_list: bool
    takes_slashes: bool


@dataclass(frozen=True)
class FormMember:
    """A member of a multipart body, as the emitted `FormField` has it."""

    name: str
    kind: str
    is_list: bool
    members: tuple["FormMember", ...] = ()


@dataclass(frozen=True)
class HeaderField:
    """A header of the successful answer. type: a Python expression."""

    name: str
    type: str
    required: bool


@dataclass(frozen=True)
class ErrorAnswer:
    """A declared answer that is not the success. model: class name, None for an empty body."""

    status: int
    model: str | None
    description: str


@dataclass(frozen=True)
class WebSocketMessages:
    """The messages of a WebSocket, as the emitted `WebSocketForm` has them."""

    type: str
    without: tuple[str, ...]
    sets: dict[str, Any]


@dataclass(frozen=True)
class Interface:
    """One operation. Fields that share a name with those of the emitted `Operation` mean the same.

    path: as the document has it; `route` is the emitted one.
    """

    id: str
    handler: str
    method: str
    path: str
    summary: str
    parameters: tuple[ParameterField, ...]
    body: str | None
    is_body_required: bool
    reads_any_media_type: bool
    form: tuple[FormMember, ...]
    status: int
    response: str | None
    media_type: str | None
    text_media_type: str | None
    event: str | None
    event_media_type: str | None
    event_name: str | None
    terminator: str | None
    web_socket: WebSocketMessages | None
    headers: tuple[HeaderField, ...]
    errors: tuple[ErrorAnswer, ...]
    validation_status: int | None
    key_headers: tuple[str, ...]
    arguments_model: str
    headers_class: str

    @property
    def route(self) -> str:
        """The path as routers read it: `{name:path}` takes slashes too."""
        route = self.path
        for name in (parameter.name for parameter in self.parameters if parameter.takes_slashes):
            route = route.replace(f"{{{name}}}", f"{{{name}:path}}")
        return route

    @property
    def is_secured(self) -> bool:
        return bool(self.key_headers)

    @property
    def takes(self) -> str:
        """The type of the handler's argument for the body, where there is one."""
        return f"{self.body}" if self.is_body_required else f"{self.body} | None"

    @property
    def returns(self) -> str:
        """The type that the handler's method answers with."""
        answers = [self._whole_answer] if self.response else []
        answers += ["str"] if self.text_media_type else []
        answers += [f"EventStream[{self.event}]"] if self.event else []
        return " | ".join(answers) or "None"

    @property
    def _whole_answer(self) -> str:
        if self.response in ("str", FILE_CONTENT):
            return self.response
        return f"Answer[{self.response}]"

    @property
    def call(self) -> str:
        """The type of the handler's last argument."""
        return f"Call[{self.headers_class}]" if self.headers else "Call[NoHeaders]"

    @property
    def models(self) -> set[str]:
        """Names of the model classes that the operation refers to."""
        types = [self.body, self.response, self.event, *(error.model for error in self.errors)]
        names = set(re.findall(r"\bm\.(\w+)", " ".join(filter(None, types))))
        return names | ({self.arguments_model} if self.parameters else set())
