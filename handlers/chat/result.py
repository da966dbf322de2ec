"""Whole answers, for clients that do not stream."""

from collections.abc import AsyncIterator

import msgspec

from engine.events import TokenEvent
from handlers.chat.delta import ChatFinish
from handlers.chat.output import ChatOutputs
from handlers.chat.tools import ToolCall
from handlers.chat.usage import ChatUsage


class ChatChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One whole answer. `events` has one event a token, with their log-probabilities."""

    index: int
    content: str
    reasoning: str
    tool_calls: tuple[ToolCall, ...]
    finish: ChatFinish
    events: tuple[TokenEvent, ...]


class ChatResult(msgspec.Struct, frozen=True, kw_only=True):
    """All answers to a request, in the order of their index."""

    choices: tuple[ChatChoice, ...]
    usage: ChatUsage


async def collect(outputs: ChatOutputs, events: AsyncIterator[TokenEvent]) -> ChatResult:
    """Run the events through the outputs to their end. What the engine raises passes through."""
    raise NotImplementedError
