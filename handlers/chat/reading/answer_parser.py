"""From an answer's text to content, thoughts and tool calls while it arrives; pure."""

from collections.abc import Callable

import msgspec

from handlers.chat.reading.delta import ToolCallDelta
from handlers.chat.reading.markers import MarkerFilter
from handlers.chat.reading.reasoning import ReasoningParser, ReasoningStage, ReasoningStart, ReasoningText
from handlers.chat.reading.reasoning_format import ReasoningFormat
from handlers.chat.tool_calls.parser import ToolParser, ToolText
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tools import ToolDefinition


class ToolReading(msgspec.Struct, frozen=True, kw_only=True):
    """How calls are read: the parameters of `tool_parser.ToolParser`."""

    tool_format: ToolFormat
    tools: tuple[ToolDefinition, ...]
    streams: bool
    max_calls: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.tools)

    def parser(self, new_id: Callable[[str], str] | None = None) -> ToolParser:
        """new_id: as in `tool_parser.ToolParser`; by default the format's own."""
        return ToolParser(
            self.tool_format,
            {tool.name: tool.parameters or {} for tool in self.tools},
            streams=self.streams,
            new_id=new_id or self.tool_format.ids.new,
            max_calls=self.max_calls,
        )


class ReasoningReading(msgspec.Struct, frozen=True, kw_only=True):
    """How thoughts are read: the parameters of `reasoning.ReasoningParser`."""

    reasoning_format: ReasoningFormat
    start: ReasoningStart
    is_content: bool  # thoughts stay in the content with their tags, where no call is looked for

    def parser(self) -> ReasoningParser:
        return ReasoningParser(self.reasoning_format, self.start, verbatim=self.is_content)


class AnswerFormat(msgspec.Struct, frozen=True, kw_only=True):
    """What the text of an answer holds.

    hidden: special tokens that the engine leaves in the text, and that are to be left out.
    hides_special: whether special tokens other than tags are left out, here or by the engine.
    """

    tools: ToolReading | None = None
    reasoning: ReasoningReading | None = None
    hidden: tuple[str, ...] = ()
    hides_special: bool = True


class AnswerText(msgspec.Struct, frozen=True):
    """What a piece of text turned out to hold."""

    content: str = ""
    reasoning: str = ""
    calls: tuple[ToolCallDelta, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.content or self.reasoning or self.calls)

    def __add__(self, later: "AnswerText") -> "AnswerText":
        return AnswerText(
            self.content + later.content, self.reasoning + later.reasoning, self.calls + later.calls
        )


class AnswerParser:
    """Takes one answer's text apart; the pieces join to the same however the text was cut."""

    def __init__(self, answer_format: AnswerFormat, new_id: Callable[[str], str] | None = None) -> None:
        """new_id: as in `tool_parser.ToolParser`; by default the tool format's own."""
        reasoning, tools = answer_format.reasoning, answer_format.tools
        self._filter = MarkerFilter(answer_format.hidden) if answer_format.hidden else None
        self._thoughts_are_content = reasoning is not None and reasoning.is_content
        self._reasoning = None if reasoning is None else reasoning.parser()
        self._tools = None if tools is None else tools.parser(new_id)

    @property
    def num_calls(self) -> int:
        """Tool calls that are whole so far."""
        return self._tools.num_calls if self._tools else 0

    @property
    def reads_content_alone(self) -> bool:
        """Whether what follows is content, whatever it is; nothing is held then."""
        reasoning = self._reasoning
        return (
            self._filter is None
            and self._tools is None
            and (reasoning is None or reasoning.stage is ReasoningStage.ANSWER)
        )

    @property
    def is_reasoning(self) -> bool:
        """Whether the text so far ends inside of the thoughts."""
        return self._reasoning is not None and self._reasoning.is_open

    def feed(self, text: str) -> AnswerText:
        """What is certain after this piece."""
        if self.reads_content_alone:
            return AnswerText(content=text)
        return self._read(self._filter.feed(text) if self._filter else text)

    def finish(self, *, is_cut: bool = False) -> AnswerText:
        """What is left at the end of the answer; `is_cut` as in `tool_parser.ToolParser.finish`."""
        if self.reads_content_alone:
            return AnswerText()
        held = self._read(self._filter.finish() if self._filter else "")
        thought = self._reasoning.finish() if self._reasoning else ReasoningText()
        told = self._tools.feed(thought.content) if self._tools else ToolText(thought.content)
        left = self._tools.finish(is_cut=is_cut) if self._tools else ToolText()
        return held + self._place(thought.reasoning, told) + self._place("", left)

    def _read(self, text: str) -> AnswerText:
        thought = self._reasoning.feed(text) if self._reasoning else ReasoningText(content=text)
        told = self._tools.feed(thought.content) if self._tools else ToolText(thought.content)
        return self._place(thought.reasoning, told)

    def _place(self, reasoning: str, told: ToolText) -> AnswerText:
        if self._thoughts_are_content:
            return AnswerText(content=reasoning + told.content, calls=told.calls)
        return AnswerText(content=told.content, reasoning=reasoning, calls=told.calls)
