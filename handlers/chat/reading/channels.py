"""Harmony's channels: an answer of several messages, of which some are thoughts.

A message on the channel analysis is a thought. One on commentary is content before calls, and one on
final is the answer. A message to a function is a call, which `tool_calls.formats.harmony` reads.
One to a tool that is built into the model (`python`, `browser`) is a thought too, unless the request offers
a tool of this name: nothing here could answer it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from handlers.chat.reading.channel_parser import ChannelParser
from handlers.chat.reading.reasoning import ReasoningFormat, ReasoningStart
from handlers.chat.structured_output.structural_tag import (
    Tag,
    any_number,
    const,
    either,
    optional,
    sequence,
    text_without,
)
from handlers.chat.tool_calls.message_header import (
    ASSISTANT,
    CALL,
    CHANNEL,
    END,
    ENDS,
    FRAMING,
    MESSAGE,
    RETURN,
    START,
)

_FINAL: Final = f"{CHANNEL}final{MESSAGE}"
_ANALYSIS: Final = f"{CHANNEL}analysis{MESSAGE}"
_PREAMBLE: Final = f"{CHANNEL}commentary{MESSAGE}"
_NEXT: Final = START + ASSISTANT


@dataclass(frozen=True, kw_only=True)
class ChannelFormat(ReasoningFormat):
    """Messages on channels."""

    @property
    @override
    def thought_markers(self) -> tuple[str, str]:
        # Without the end of its header, so that a thought can be excluded where it parts from other messages.
        return f"{CHANNEL}analysis", END

    @override
    def closing(self, shown: str) -> str:
        return END + _NEXT

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        return FRAMING

    @property
    @override
    def kept_tags(self) -> tuple[str, ...]:
        return ()

    @override
    def holds(self, token_text: str) -> bool:
        return token_text in FRAMING

    @override
    def is_format_of(self, template: str) -> bool:
        return _ANALYSIS in template or _FINAL in template

    @override
    def is_in(self, tokens: Collection[str]) -> bool:
        return {START, CHANNEL, MESSAGE, END} <= set(tokens)

    @override
    def start(self, prompt: str, continued: str | None = None) -> ReasoningStart:
        if continued is not None:
            return ReasoningStart.CLOSED
        header, is_open, text = prompt.rpartition(START)[2].partition(MESSAGE)
        if not is_open or any(end in text for end in ENDS):
            return ReasoningStart.POSSIBLE
        return ReasoningStart.OPEN if "analysis" in header else ReasoningStart.CLOSED

    @override
    def parser(
        self, start: ReasoningStart, *, verbatim: bool = False, tools: Collection[str] = ()
    ) -> ChannelParser:
        return ChannelParser(start, verbatim=verbatim, tools=tools)

    @override
    def stop_free(self, start: ReasoningStart) -> tuple[tuple[tuple[str, str], ...], str | None]:
        answer = f"{CHANNEL}final"
        return ((START, answer),), None if start is ReasoningStart.CLOSED else answer

    @override
    def opening(self, start: ReasoningStart) -> str:
        if start is ReasoningStart.CLOSED:
            return ""
        return END + _NEXT + _FINAL if start is ReasoningStart.OPEN else _FINAL

    @override
    def after_reasoning(self, bound: Tag, start: ReasoningStart) -> Tag:
        if start is ReasoningStart.CLOSED:
            return bound
        message = sequence(either(const(_ANALYSIS), const(_PREAMBLE)), text_without(END), const(END + _NEXT))
        opened = [text_without(END), const(END + _NEXT)] if start is ReasoningStart.OPEN else []
        return sequence(*opened, any_number(message), bound)

    @override
    def framed(self, content: Tag, start: ReasoningStart) -> Tag:
        if start is ReasoningStart.CLOSED:
            return content
        return sequence(const(_FINAL), content, optional(const(END)))


HARMONY_CHANNELS: Final = ChannelFormat(
    frames_content=True,
    is_single=False,
    end_tokens=(RETURN, CALL),
    efforts={"none": "low", "minimal": "low", "xhigh": "high", "max": "high"},
)
