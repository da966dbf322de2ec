"""The parser that splits thoughts from the answer while the text arrives; pure."""

from collections.abc import Callable, Mapping
from enum import Enum, IntEnum, auto
from typing import Final

import msgspec

from handlers.chat.markers import partial_suffix
from handlers.chat.reading.reasoning_format import ReasoningFormat


class ReasoningStart(Enum):
    """The state of the thoughts at the start of an answer."""

    OPEN = "open"  # the prompt has opened the block
    POSSIBLE = "possible"  # the model may open one
    CLOSED = "closed"  # the prompt holds a whole block, or the answer itself has begun


def reasoning_start(tags: ReasoningFormat, prompt: str, continued: str | None = None) -> ReasoningStart:
    """Return the state of the thoughts where a rendered prompt ends.

    continued: the assistant's text that the answer continues, if any.
    """
    if continued is not None:
        is_open = continued.rfind(tags.begin) > continued.rfind(tags.end)
        return ReasoningStart.OPEN if is_open else ReasoningStart.CLOSED
    end = prompt.rstrip()
    if end.endswith(tags.begin.rstrip()):
        return ReasoningStart.OPEN
    return ReasoningStart.CLOSED if end.endswith(tags.end) else ReasoningStart.POSSIBLE


class ReasoningText(msgspec.Struct, frozen=True):
    """The thoughts and content that a piece of text added."""

    reasoning: str = ""
    content: str = ""


class ReasoningStage(IntEnum):
    """The stage of a parser; an IntEnum, since its hash is cheaper than that of an Enum."""

    BEFORE = auto()  # thoughts may follow
    INSIDE = auto()
    BEHIND = auto()  # blanks between thoughts and answer
    ANSWER = auto()


_FIRST_STAGES: Final = {
    ReasoningStart.OPEN: ReasoningStage.INSIDE,
    ReasoningStart.POSSIBLE: ReasoningStage.BEFORE,
    ReasoningStart.CLOSED: ReasoningStage.ANSWER,
}


class ReasoningParser:
    """The parser of one text into thoughts and answer.

    verbatim: tags and blanks stay with the thoughts, which joined to the answer are then the whole text, to
        the letter. Otherwise they are left out, from both ends of the thoughts and the start of the answer.
    """

    def __init__(
        self, reasoning_format: ReasoningFormat, start: ReasoningStart, *, verbatim: bool = False
    ) -> None:
        self._format = reasoning_format
        self._verbatim = verbatim
        self.stage = _FIRST_STAGES[start]
        self._buffer = ""
        self._is_final = False
        self._has_thought = False
        self._reasoning: list[str] = []
        self._content: list[str] = []

    def feed(self, text: str) -> ReasoningText:
        """Return the text that is certain after this piece."""
        self._buffer += text
        return self._drain()

    def finish(self) -> ReasoningText:
        """Return the rest at the end of the text."""
        self._is_final = True
        return self._drain()

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
        thought, end, rest = self._buffer.partition(self._format.end)
        if end:
            self._emit_thought(thought.rstrip())
            self._emit_layout(thought[len(thought.rstrip()) :] + end)
            self._buffer = rest
            self.stage = ReasoningStage.ANSWER if self._verbatim else ReasoningStage.BEHIND
            return True
        if not self._is_final:
            certain = len(thought) - partial_suffix(thought, (self._format.end,))
            thought = thought[:certain].rstrip()
        self._emit_thought(thought)
        self._buffer = self._buffer[len(thought) :]
        return False

    def _read_behind(self) -> bool:
        self._buffer = self._buffer.lstrip()
        if self._buffer:
            self.stage = ReasoningStage.ANSWER
        return bool(self._buffer)

    def _read_answer(self) -> bool:
        if self._buffer:
            self._content.append(self._buffer)
        self._buffer = ""
        return False

    def _emit_thought(self, text: str) -> None:
        if not self._has_thought and not self._verbatim:
            text = text.lstrip()
        if text:
            self._has_thought = True
            self._reasoning.append(text)

    def _emit_layout(self, text: str) -> None:
        if self._verbatim:
            self._reasoning.append(text)


_STEPS: Final[Mapping[ReasoningStage, Callable[[ReasoningParser], bool]]] = {
    ReasoningStage.BEFORE: ReasoningParser._read_before,
    ReasoningStage.INSIDE: ReasoningParser._read_inside,
    ReasoningStage.BEHIND: ReasoningParser._read_behind,
    ReasoningStage.ANSWER: ReasoningParser._read_answer,
}
