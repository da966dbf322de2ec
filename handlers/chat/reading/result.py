"""Whole answers, for clients that do not stream."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import msgspec

from engine.port.events import TokenEvent
from handlers.chat.delta import ChatDelta, ChatFinish
from handlers.chat.reading.output import ChatOutputs
from handlers.chat.tools import ToolCall
from handlers.chat.usage import ChatUsage


class ChatChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One whole answer.

    events: one event per token, with log-probabilities.
    answer_events: the events whose tokens are content or tool calls, as in `delta.ChatDelta`.
    stop_match: the stop string that ended it, if one did.
    """

    index: int
    content: str
    reasoning: str
    tool_calls: tuple[ToolCall, ...]
    finish: ChatFinish
    stop_match: str | None = None
    events: tuple[TokenEvent, ...]
    answer_events: tuple[TokenEvent, ...]


class ChatResult(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to a request, in the order of their index."""

    choices: tuple[ChatChoice, ...]
    usage: ChatUsage


async def collect_chat(outputs: ChatOutputs, events: AsyncGenerator[TokenEvent, None]) -> ChatResult:
    """Read the events to their end through the outputs, and close them. Errors of the engine pass through."""
    deltas: dict[int, list[ChatDelta]] = {}
    async with aclosing(events):
        async for event in events:
            if (delta := outputs.feed(event)) is not None:
                deltas.setdefault(delta.index, []).append(delta)
    choices = tuple([join(deltas[index]) for index in sorted(deltas)])
    return ChatResult(choices=choices, usage=outputs.usage)


def join(deltas: Sequence[ChatDelta]) -> ChatChoice:
    """Return the answer that all deltas of one index make; the last of them has the finish."""
    finish = deltas[-1].finish
    assert finish is not None, "the engine ends every sequence with a finish"
    return ChatChoice(
        index=deltas[0].index,
        content="".join([delta.content for delta in deltas]),
        reasoning="".join([delta.reasoning for delta in deltas]),
        tool_calls=_join_calls(deltas),
        finish=finish,
        stop_match=deltas[-1].stop_match,
        events=tuple([event for delta in deltas for event in delta.events]),
        answer_events=tuple([event for delta in deltas for event in delta.answer_events]),
    )


def _join_calls(deltas: Sequence[ChatDelta]) -> tuple[ToolCall, ...]:
    begun: list[tuple[str, str]] = []  # ids and names
    arguments: list[list[str]] = []
    for piece in (piece for delta in deltas for piece in delta.tool_calls):
        if piece.id is not None and piece.name is not None:
            begun.append((piece.id, piece.name))
            arguments.append([])
        arguments[piece.index].append(piece.arguments)
    return tuple(
        ToolCall(id=id, name=name, arguments="".join(pieces))
        for (id, name), pieces in zip(begun, arguments, strict=True)
    )
