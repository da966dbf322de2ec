"""The functions that the model may call, and the calls that it makes."""

from collections.abc import Mapping
from enum import Enum

import msgspec


class ToolDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """A function that the model may call.

    parameters: JSON Schema of the arguments object; None is an object without named properties.
    strict: under tool choice auto, whether arguments are held to the schema (True, and None, for contracts
        that know no such field) or only to be a JSON object (False). Where a call is demanded the schema
        always holds.
    """

    name: str
    description: str | None = None
    parameters: Mapping[str, object] | None = None
    strict: bool | None = None


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
