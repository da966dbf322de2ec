"""The parser of an answer in harmony's channels; `channels` says which of them are thoughts."""

from collections.abc import Callable, Collection, Mapping
from enum import Enum, auto
from typing import Final

from typing_extensions import override

from handlers.chat.markers import partial_suffix
from handlers.chat.reading.reasoning import AnswerPart, ReasoningParser, ReasoningStart, ReasoningText
from handlers.chat.tool_calls.message_header import (
    ASSISTANT,
    CHANNEL,
    ENDS,
    FRAMING,
    MESSAGE,
    START,
    MessageHeader,
    may_become_header,
)

_BUILT_IN: Final = ("python", "browser", "container")
_NO_RECIPIENTS: Final = ("", ASSISTANT, "user", "all")
_BETWEEN: Final = "\n\n"  # texts of two messages
_INLINE: Final = ("<think>\n", "\n</think>\n\n")  # the templates refuse a content with harmony's own tags
_SHORTEST_FRAGMENT: Final = 2  # characters; a single "<" is rather a sign of the text


class _Stage(Enum):
    HEADER = auto()
    TEXT = auto()
    BETWEEN = auto()  # an end has come


class _Kind(Enum):
    """The part of the answer that a message's text is."""

    REASONING = auto()
    CONTENT = auto()
    CALL = auto()


class ChannelParser(ReasoningParser):
    """The parser of one answer's messages.

    Text that is no message, or whose header is malformed, is content to the letter. Only a header that the
    answer ends in is left out, and of an answer that is cut also the part of a marker at its end. An answer
    that is not cut and has no marker has no header either, even if one could begin so ("a", " code").
    """

    def __init__(self, start: ReasoningStart, *, verbatim: bool, tools: Collection[str]) -> None:
        super().__init__()
        self._verbatim = verbatim
        self._tools = frozenset(tools)
        self._stage = _Stage.HEADER if start is ReasoningStart.POSSIBLE else _Stage.TEXT
        self._kind = _Kind.REASONING if start is ReasoningStart.OPEN else _Kind.CONTENT
        self._begun = ""  # by what the header began: <|start|>, or nothing where the prompt has it
        self._is_inside = (
            False  # whether the header began inside of a message, to which it returns if it is none
        )
        self._buffer = ""
        self._is_final = False
        self._is_cut = False
        self._is_fresh = True  # whether the message has no text yet
        self._num_reasoning_messages = 0  # messages with text
        self._num_contents = 0
        self._runs: list[ReasoningText] = []

    @property
    @override
    def reads_content_alone(self) -> bool:
        return False

    @override
    def feed(self, text: str) -> tuple[ReasoningText, ...]:
        self.part = None
        self._buffer += text
        return self._drain()

    @override
    def finish(self, *, is_cut: bool = False) -> tuple[ReasoningText, ...]:
        self._is_final, self._is_cut = True, is_cut
        return self._drain()

    def _drain(self) -> tuple[ReasoningText, ...]:
        while _STEPS[self._stage](self):
            pass
        found, self._runs = tuple(self._runs), []
        return found

    # Each step returns whether another can follow at once.

    def _read_header(self) -> bool:
        at, marker = _first(self._buffer, (MESSAGE, START, *ENDS))
        if marker == MESSAGE:
            self._begin_message(self._buffer[:at], at + len(MESSAGE))
            return True
        text = self._buffer[:at]
        if not may_become_header(text, has_role=not self._begun, is_whole=bool(marker)):
            self._reject_header()
            return True
        if marker == START:
            self._buffer = self._buffer[at + len(START) :]
            self._begun, self._is_inside = START, False
            return True
        if marker:
            self._buffer = self._buffer[at + len(marker) :]
            self._stage = _Stage.BETWEEN
            return True
        if self._is_final and not self._is_cut and (self._is_inside or not self._has_marker):
            self._reject_header()
            return True
        if self._is_final:
            self._buffer = ""
        return False

    @property
    def _has_marker(self) -> bool:
        """True if the header that is read has a marker; only one that the prompt has begun can have none."""
        return bool(self._begun) or any(marker in self._buffer for marker in FRAMING)

    def _begin_message(self, header_text: str, num_characters: int) -> None:
        header = MessageHeader.parse(header_text)
        if header is None or (header.role and not self._begun):
            self._reject_header()
            return
        self._buffer = self._buffer[num_characters:]
        self._end_message()
        self._kind = self._kind_of(header)
        self._stage, self._is_fresh, self._is_inside = _Stage.TEXT, True, False
        self._note(AnswerPart.REASONING if self._kind is _Kind.REASONING else AnswerPart.LAYOUT)
        if self._kind is _Kind.CALL:
            self._emit(header.text + MESSAGE)

    def _kind_of(self, header: MessageHeader) -> _Kind:
        recipient = header.recipient
        if recipient in _NO_RECIPIENTS:
            return _Kind.REASONING if header.channel == "analysis" else _Kind.CONTENT
        is_built_in = recipient.partition(".")[0] in _BUILT_IN and recipient not in self._tools
        return _Kind.REASONING if is_built_in else _Kind.CALL

    def _reject_header(self) -> None:
        """Take the text for what it interrupts, or else for content, up to its first character."""
        if not self._is_inside:
            self._end_message()
            self._kind, self._is_fresh = _Kind.CONTENT, True
        self._stage, self._is_inside = _Stage.TEXT, False
        if taken := self._begun or self._buffer[:1]:
            self._emit(taken)
            self._note(_PARTS[self._kind])
        self._buffer = self._buffer[len(taken) - len(self._begun) :]
        self._begun = ""

    def _read_text(self) -> bool:
        markers = (START, CHANNEL, *ENDS)
        at, marker = _first(self._buffer, markers)
        if at:  # what is held back below is of the message too
            self._note(_PARTS[self._kind])
        num_begun = 0 if marker else partial_suffix(self._buffer, markers)
        if not self._is_final or (self._is_cut and num_begun >= _SHORTEST_FRAGMENT):
            at -= num_begun
        self._emit(self._buffer[:at])
        self._buffer = self._buffer[at:]
        if not marker:
            return False
        if marker in ENDS:
            if self._kind is _Kind.CALL:
                self._emit(marker)
            self._note(AnswerPart.REASONING if self._kind is _Kind.REASONING else AnswerPart.LAYOUT)
            self._end_message()
            self._buffer = self._buffer[len(marker) :]
            self._stage = _Stage.BETWEEN
            return True
        self._stage, self._is_inside = _Stage.HEADER, True
        self._begun = START if marker == START else ""
        self._buffer = self._buffer[len(self._begun) :]
        return True

    def _read_between(self) -> bool:
        text = self._buffer.lstrip()
        if text.startswith((START, CHANNEL)):
            self._begun = START if text.startswith(START) else ""
            self._buffer = text[len(self._begun) :]
            self._stage, self._is_inside = _Stage.HEADER, False
            return True
        if text.startswith(ENDS):
            self._buffer = text[text.index(">") + 1 :]
            return True
        if any(marker.startswith(text) for marker in FRAMING):  # or nothing, as yet or at the end
            return False
        self._stage, self._kind, self._is_fresh = _Stage.TEXT, _Kind.CONTENT, True
        return True

    def _note(self, part: AnswerPart) -> None:
        """Note that the piece has text of this part; the answer wins over thoughts, and they over layout."""
        if self.part is None or _RANKS[part] > _RANKS[self.part]:
            self.part = part

    def _emit(self, text: str) -> None:
        if not text:
            return
        is_first, self._is_fresh = self._is_fresh, False
        if self._kind is _Kind.REASONING:
            self._runs.append(ReasoningText(reasoning=self._begin_reasoning(is_first) + text))
            return
        before = _BETWEEN if is_first and self._num_contents else ""
        self._num_contents += is_first and self._kind is _Kind.CONTENT
        self._runs.append(ReasoningText(content=before + text))

    def _begin_reasoning(self, is_first: bool) -> str:
        if not is_first:
            return ""
        self._num_reasoning_messages += 1
        if self._verbatim:
            return _INLINE[0]
        return _BETWEEN if self._num_reasoning_messages > 1 else ""

    def _end_message(self) -> None:
        """Close the thoughts that are left in the content."""
        if self._verbatim and self._kind is _Kind.REASONING and not self._is_fresh:
            self._runs.append(ReasoningText(reasoning=_INLINE[1]))
            self._is_fresh = True


def _first(text: str, markers: Collection[str]) -> tuple[int, str]:
    """Return the place and text of the marker that comes first; the text's length and "" if there is none."""
    found = [(at, marker) for marker in markers if (at := text.find(marker)) >= 0]
    return min(found, default=(len(text), ""))


_PARTS: Final = {
    _Kind.REASONING: AnswerPart.REASONING,
    _Kind.CONTENT: AnswerPart.ANSWER,
    _Kind.CALL: AnswerPart.ANSWER,
}
_RANKS: Final = {AnswerPart.LAYOUT: 0, AnswerPart.REASONING: 1, AnswerPart.ANSWER: 2}
_STEPS: Final[Mapping[_Stage, Callable[[ChannelParser], bool]]] = {
    _Stage.HEADER: ChannelParser._read_header,
    _Stage.TEXT: ChannelParser._read_text,
    _Stage.BETWEEN: ChannelParser._read_between,
}
