"""Thoughts between a pair of tags at the start of an answer, as most families write them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Final

from typing_extensions import override

from handlers.chat.markers import partial_suffix
from handlers.chat.reading.reasoning import (
    AnswerPart,
    ReasoningFormat,
    ReasoningParser,
    ReasoningStart,
    ReasoningText,
)
from handlers.chat.structured_output.structural_tag import Tag, optional, regex, sequence, tag, text_without

_MAX_BLANKS: Final = 2  # between thoughts and answer, where a grammar binds the answer


@dataclass(frozen=True, kw_only=True)
class TagPair(ReasoningFormat):
    """One family's pair of tags."""

    begin: str
    end: str

    @property
    @override
    def thought_markers(self) -> tuple[str, str]:
        return self.begin, self.end

    @override
    def closing(self, shown: str) -> str:
        before, found, after = shown.partition(self.end)
        if not found:
            return self.opening(ReasoningStart.OPEN)
        blanks = after[: len(after) - len(after.lstrip())]
        return ("" if before.strip() else before) + self.end + blanks[:_MAX_BLANKS]

    @property
    @override
    def tags(self) -> tuple[str, ...]:
        return (self.begin, self.end)

    @property
    @override
    def kept_tags(self) -> tuple[str, ...]:
        return self.tags

    @override
    def is_format_of(self, template: str) -> bool:
        return self.end in template

    @override
    def is_in(self, tokens: Collection[str]) -> bool:
        return {self.begin, self.end} <= set(tokens)

    @override
    def start(self, prompt: str, continued: str | None = None) -> ReasoningStart:
        if continued is not None:
            is_open = continued.rfind(self.begin) > continued.rfind(self.end)
            return ReasoningStart.OPEN if is_open else ReasoningStart.CLOSED
        end = prompt.rstrip()
        if end.endswith(self.begin.rstrip()):
            return ReasoningStart.OPEN
        return ReasoningStart.CLOSED if end.endswith(self.end) else ReasoningStart.POSSIBLE

    @override
    def parser(
        self, start: ReasoningStart, *, verbatim: bool = False, tools: Collection[str] = ()
    ) -> "TagPairParser":
        return TagPairParser(self, start, verbatim=verbatim)

    @override
    def stop_free(self, start: ReasoningStart) -> tuple[tuple[tuple[str, str], ...], str | None]:
        if start is ReasoningStart.CLOSED:
            return (), None
        return ((), self.end) if start is ReasoningStart.OPEN else (((self.begin, self.end),), None)

    @override
    def opening(self, start: ReasoningStart) -> str:
        return f"\n{self.end}\n\n" if start is ReasoningStart.OPEN else ""

    @override
    def after_reasoning(self, bound: Tag, start: ReasoningStart) -> Tag:
        if start is ReasoningStart.CLOSED:
            return bound
        is_open = start is ReasoningStart.OPEN
        block = tag("" if is_open else self.begin, text_without(self.end), self.end)
        blanks = regex(rf"\s{{0,{_MAX_BLANKS}}}")
        reasoning = sequence(block, blanks) if is_open else optional(sequence(blanks, block, blanks))
        return sequence(reasoning, bound)


class ReasoningStage(IntEnum):
    """The stage of a parser; an IntEnum, since its hash is cheaper than that of an Enum."""

    BEFORE = auto()  # thoughts may follow
    INSIDE = auto()
    AFTER = auto()  # blanks between thoughts and answer
    ANSWER = auto()


_FIRST_STAGES: Final = {
    ReasoningStart.OPEN: ReasoningStage.INSIDE,
    ReasoningStart.POSSIBLE: ReasoningStage.BEFORE,
    ReasoningStart.CLOSED: ReasoningStage.ANSWER,
}


class TagPairParser(ReasoningParser):
    """The parser of one text into thoughts and answer.

    verbatim: tags and blanks stay with the thoughts, which joined to the answer are then the whole text, to
        the letter. Otherwise they are left out, from both ends of the thoughts and the start of the answer.
    """

    def __init__(self, tags: TagPair, start: ReasoningStart, *, verbatim: bool = False) -> None:
        super().__init__()
        self._format = tags
        self._verbatim = verbatim
        self.stage = _FIRST_STAGES[start]
        self._buffer = ""
        self._is_final = False
        self._has_reasoning = False
        self._reasoning: list[str] = []
        self._content: list[str] = []

    @property
    @override
    def reads_content_alone(self) -> bool:
        return self.stage is ReasoningStage.ANSWER

    @override
    def feed(self, text: str) -> tuple[ReasoningText, ...]:
        before = self.stage
        self._buffer += text
        found = self._drain()
        self.part = self._part_of(before, found)
        return (found,)

    @override
    def finish(self, *, is_cut: bool = False) -> tuple[ReasoningText, ...]:
        self._is_final = True
        return (self._drain(),)

    def _part_of(self, before: ReasoningStage, found: ReasoningText) -> AnswerPart | None:
        """Return the part of a piece that was read from stage `before` on."""
        if self.stage is ReasoningStage.BEFORE:
            return None
        if found.content or before is ReasoningStage.ANSWER:
            return AnswerPart.ANSWER
        return AnswerPart.LAYOUT if before is ReasoningStage.AFTER else AnswerPart.REASONING

    def _drain(self) -> ReasoningText:
        while _STEPS[self.stage](self):
            pass
        found = ReasoningText("".join(self._reasoning), "".join(self._content))
        self._reasoning, self._content = [], []
        return found

    # Each step returns whether another can follow at once.

    def _read_before(self) -> bool:
        text = self._buffer.lstrip()
        if text.startswith(self._format.begin):
            num_used = len(self._buffer) - len(text) + len(self._format.begin)
            self._emit_layout(self._buffer[:num_used])
            self._buffer = self._buffer[num_used:]
            self.stage = ReasoningStage.INSIDE
            return True
        if self._format.begin.startswith(text) and not self._is_final:
            return False
        self.stage = ReasoningStage.ANSWER
        return True

    def _read_inside(self) -> bool:
        reasoning, end, rest = self._buffer.partition(self._format.end)
        if end:
            self._emit_reasoning(reasoning.rstrip())
            self._emit_layout(reasoning[len(reasoning.rstrip()) :] + end)
            self._buffer = rest
            self.stage = ReasoningStage.ANSWER if self._verbatim else ReasoningStage.AFTER
            return True
        if not self._is_final:
            certain = len(reasoning) - partial_suffix(reasoning, (self._format.end,))
            reasoning = reasoning[:certain].rstrip()
        self._emit_reasoning(reasoning)
        self._buffer = self._buffer[len(reasoning) :]
        return False

    def _read_after(self) -> bool:
        self._buffer = self._buffer.lstrip()
        if self._buffer:
            self.stage = ReasoningStage.ANSWER
        return bool(self._buffer)

    def _read_answer(self) -> bool:
        if self._buffer:
            self._content.append(self._buffer)
        self._buffer = ""
        return False

    def _emit_reasoning(self, text: str) -> None:
        if not self._has_reasoning and not self._verbatim:
            text = text.lstrip()
        if text:
            self._has_reasoning = True
            self._reasoning.append(text)

    def _emit_layout(self, text: str) -> None:
        if self._verbatim:
            self._reasoning.append(text)


_STEPS: Final[Mapping[ReasoningStage, Callable[[TagPairParser], bool]]] = {
    ReasoningStage.BEFORE: TagPairParser._read_before,
    ReasoningStage.INSIDE: TagPairParser._read_inside,
    ReasoningStage.AFTER: TagPairParser._read_after,
    ReasoningStage.ANSWER: TagPairParser._read_answer,
}

THINK: Final = TagPair(begin="<think>", end="</think>")  # Qwen 3, DeepSeek R1, and many after them
