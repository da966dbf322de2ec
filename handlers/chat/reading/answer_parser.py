"""The parser of an answer's text into content, thoughts and tool calls, while the text arrives; pure."""

from collections.abc import Callable, Collection, Iterable

import msgspec

from handlers.chat.delta import ToolCallDelta
from handlers.chat.markers import MarkerFilter
from handlers.chat.reading.reasoning import (
    ReasoningFormat,
    ReasoningParser,
    ReasoningStart,
    ReasoningText,
)
from handlers.chat.tool_calls.formats.registry import readings_of
from handlers.chat.tool_calls.parser import ToolParser, ToolText
from handlers.chat.tool_calls.tool_format import ToolFormat
from handlers.chat.tools import ToolDefinition


class ToolReading(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of the `ToolParser` that reads an answer's calls."""

    tool_format: ToolFormat
    tools: tuple[ToolDefinition, ...]
    streams: bool
    max_calls: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.tools)

    def special_tags(self, special_tokens: Collection[str]) -> set[str]:
        """Return the special tokens that are part of a format in which calls are read."""
        readings = readings_of(self.tool_format)
        return set[str]().union(*(known.special_tags(special_tokens) for known in readings))

    def parser(self, new_id: Callable[[str], str] | None = None) -> ToolParser:
        """Return a parser. new_id: makes the id of a call from its name; None takes the format's own."""
        return ToolParser(
            self.tool_format,
            {tool.name: tool.parameters or {} for tool in self.tools},
            streams=self.streams,
            new_id=new_id or self.tool_format.ids.new,
            max_calls=self.max_calls,
        )


class ReasoningReading(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of the `ReasoningParser` that reads an answer's thoughts."""

    reasoning_format: ReasoningFormat
    start: ReasoningStart
    is_content: bool  # thoughts stay in the content with their tags, where no call is looked for
    tools: tuple[str, ...] = ()  # the names of the functions that the model may call

    def parser(self) -> ReasoningParser:
        return self.reasoning_format.parser(self.start, verbatim=self.is_content, tools=self.tools)


class AnswerFormat(msgspec.Struct, frozen=True, kw_only=True):
    """The parts that the text of an answer may have, and their syntax.

    hidden: special tokens that the engine leaves in the text, to be left out here.
    hides_special: whether special tokens other than tags are left out, here or by the engine.
    keeps_special: whether the engine must leave them in the text, since one of the tags is a special token.
    """

    tools: ToolReading | None = None
    reasoning: ReasoningReading | None = None
    hidden: tuple[str, ...] = ()
    hides_special: bool = True
    keeps_special: bool = False


class AnswerText(msgspec.Struct, frozen=True):
    """The content, thoughts and calls that a piece of text added."""

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
    """The parser of one answer's text. Its results join to the same whole however the text was cut."""

    def __init__(self, answer_format: AnswerFormat, new_id: Callable[[str], str] | None = None) -> None:
        """Begin an answer. new_id: makes the id of a call from its name; None takes the format's own."""
        reasoning, tools = answer_format.reasoning, answer_format.tools
        self._filter = MarkerFilter(answer_format.hidden) if answer_format.hidden else None
        self._reasoning_is_content = reasoning is not None and reasoning.is_content
        self._reasoning = None if reasoning is None else reasoning.parser()
        self._tools = None if tools is None else tools.parser(new_id)

    @property
    def num_calls(self) -> int:
        """The number of tool calls that are whole so far."""
        return self._tools.num_calls if self._tools else 0

    @property
    def reads_content_alone(self) -> bool:
        """True if all text from here on is content; no text is held back then."""
        reasoning = self._reasoning
        return (
            self._filter is None
            and self._tools is None
            and (reasoning is None or reasoning.reads_content_alone)
        )

    def feed(self, text: str) -> AnswerText:
        """Return the parts that are certain after this piece."""
        if self.reads_content_alone:
            return AnswerText(content=text)
        return self._read(self._filter.feed(text) if self._filter else text)

    def finish(self, *, is_cut: bool = False) -> AnswerText:
        """Return the rest at the end of the answer; `is_cut` as in `ToolParser.finish`."""
        if self.reads_content_alone:
            return AnswerText()
        held = self._read(self._filter.finish() if self._filter else "")
        last = self._read_runs(self._reasoning.finish(is_cut=is_cut) if self._reasoning else ())
        left = self._tools.finish(is_cut=is_cut) if self._tools else ToolText()
        return held + last + self._place("", left)

    def _read(self, text: str) -> AnswerText:
        runs = self._reasoning.feed(text) if self._reasoning else (ReasoningText(content=text),)
        return self._read_runs(runs)

    def _read_runs(self, runs: Iterable[ReasoningText]) -> AnswerText:
        read = AnswerText()
        for run in runs:
            found = self._tools.feed(run.content) if self._tools else ToolText(run.content)
            read += self._place(run.reasoning, found)
        return read

    def _place(self, reasoning: str, found: ToolText) -> AnswerText:
        if self._reasoning_is_content:
            return AnswerText(content=reasoning + found.content, calls=found.calls)
        return AnswerText(content=found.content, reasoning=reasoning, calls=found.calls)
