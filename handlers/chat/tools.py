"""The functions that the model may call, and the calls that it makes."""

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import NamedTuple

import msgspec

from engine.port.errors import InvalidGrammar
from handlers.chat.errors import ToolError
from verbatim_kit.errors import Violation


class TextGrammar(NamedTuple):
    """A grammar of texts in xgrammar's notation: of a text as it is, and of the inside of a JSON string."""

    plain: str
    in_json: str


class ToolDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """A function that the model may call."""

    name: str
    """The function's name."""

    description: str | None = None
    """A text for the model on what the function does."""

    parameters: Mapping[str, object] | None = None
    """The JSON Schema of the arguments object; None is an object without named properties."""

    strict: bool | None = None
    """Under tool choice auto, holds arguments to the schema (True, and None, for contracts that know no such
    field) or only to be a JSON object (False). Where a call is demanded the schema always holds."""

    may_be_loosened: bool = False
    """Whether arguments may be any JSON object where the schema cannot be enforced; else the request is
    refused."""

    text_grammar: TextGrammar | None = None
    """The grammar of the text that is the only argument; None where its schema says all."""

    parameters_field: str = ""
    """The place of the parameters in the request; empty if its tools are those of the core."""


def faulty_parameters(error: Exception, tools: Callable[[], Iterable[ToolDefinition]]) -> str:
    """Return the field of the parameters that make a grammar invalid; empty if no tool's do.

    tools: returns those of the request.
    """
    if not isinstance(error, InvalidGrammar) or not error.begin:
        return ""
    named = [tool for tool in tools() if tool.name in error.begin]
    return max(named, key=lambda tool: len(tool.name)).parameters_field if named else ""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that the model made; `arguments` is JSON text, exactly as the model wrote it."""

    id: str
    name: str
    arguments: str


class ToolMode(Enum):
    """The kind of call that a tool choice permits or demands."""

    NONE = "none"  # words only
    AUTO = "auto"  # words or calls, as the model sees fit
    REQUIRED = "required"  # one call or more
    NAMED = "named"  # exactly one call, of the one function that is allowed


class ToolChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The tools that the model may or must use; `allowed` None is all of them."""

    mode: ToolMode = ToolMode.AUTO
    allowed: tuple[str, ...] | None = None

    @classmethod
    def named(cls, name: str) -> "ToolChoice":
        """Return the choice of exactly one call, of this function."""
        return cls(mode=ToolMode.NAMED, allowed=(name,))


def check_callers(callers: Collection[str] | None, field: str) -> None:
    """Raise ToolError for a tool that only a program may call, since no program runs here.

    callers: the callers that the request allows, of whom `direct` is the model; None if it does not say.
    field: their place in the request.
    """
    if callers is not None and "direct" not in callers:
        reason = "'direct' must be among them: no program runs here that could call tools"
        raise ToolError(reason, field, Violation.UNSUPPORTED_VALUE)
