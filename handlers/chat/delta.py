"""The text, calls and events that a token adds to an answer."""

from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

from engine.port.events import TokenEvent


class ChatFinish(Enum):
    """The reason for the end of an answer."""

    STOP = "stop"  # the model ended it, or a stop string did
    LENGTH = "length"  # max_tokens, or the context is full
    TOOL_CALLS = "tool_calls"  # the model ended it, having made one call or more


class ToolCallDelta(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a tool call."""

    index: int
    """The number of the call among the answer's calls, from 0."""

    id: str | None = None
    """The call's identifier, in its first piece; None after it."""

    name: str | None = None
    """The name of the function, in the call's first piece; None after it."""

    arguments: str = ""
    """JSON text to append; the pieces joined are the call's arguments."""


def join_pieces(pieces: Iterable[ToolCallDelta]) -> tuple[ToolCallDelta, ...]:
    """Join the pieces to one for each call, in the order of the calls, since some clients read only a call's
    first piece.
    """
    calls: dict[int, list[ToolCallDelta]] = {}
    for piece in pieces:
        calls.setdefault(piece.index, []).append(piece)
    return tuple(map(_joined, calls.values()))


def _joined(pieces: Sequence[ToolCallDelta]) -> ToolCallDelta:
    first, *others = pieces
    if not others:
        return first
    return msgspec.structs.replace(first, arguments="".join(piece.arguments for piece in pieces))


class ChatDelta(msgspec.Struct, frozen=True, kw_only=True):
    """An addition to an answer. All deltas of an answer, joined field by field, are the whole answer."""

    index: int
    """The number of the answer among the request's answers, from 0."""

    content: str = ""
    """Text to append to the content."""

    reasoning: str = ""
    """Text to append to the thoughts."""

    tool_calls: tuple[ToolCallDelta, ...] = ()
    """Pieces of calls, at most one for each call."""

    events: tuple[TokenEvent, ...] = ()
    """The engine's events that this delta accounts for, with their log-probabilities; every event of the
    answer is in exactly one delta. A token whose text is held back (it may be the start of a tag) is in the
    next delta."""

    answer_events: tuple[TokenEvent, ...] = ()
    """The events whose tokens are content (thoughts too, if they are left in it) or tool calls: no special
    token that does not show, no blank that is left out, nothing of a stop string cut off."""

    stop_match: str | None = None
    """The stop string that ended the answer, if one did."""

    finish: ChatFinish | None = None
    """The reason for the answer's end, in its last delta; None before it."""
