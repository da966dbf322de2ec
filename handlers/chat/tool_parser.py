"""Tool calls out of an answer's text while it arrives; pure.

What the pieces join to depends on the text alone, not on how it was cut.
"""

import string
from collections.abc import Callable, Collection
from enum import Enum, auto

import msgspec

from handlers.chat.delta import ToolCallDelta
from handlers.chat.json_span import JsonSpan
from handlers.chat.markers import partial_suffix
from handlers.chat.tool_format import ToolFormat


class ToolText(msgspec.Struct, frozen=True):
    """What a piece of text turned out to hold."""

    content: str = ""
    calls: tuple[ToolCallDelta, ...] = ()


class WrittenCall(msgspec.Struct, frozen=True):
    """A call as models write it, under either key; the arguments are an undecoded JSON object."""

    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"")
    parameters: msgspec.Raw = msgspec.Raw(b"")

    @classmethod
    def parse(cls, text: str) -> tuple[str, str] | None:
        """Name and arguments of a call's JSON text, the arguments to the letter; None if it is no call."""
        try:
            call = msgspec.json.decode(text, type=cls)
            arguments = bytes(call.arguments) or bytes(call.parameters) or b"{}"
            msgspec.json.decode(arguments, type=dict[str, object])
        except (msgspec.MsgspecError, RecursionError):  # nested deeper than any decoder goes
            return None
        return call.name, arguments.decode()


class _State(Enum):
    TEXT = auto()  # prose in which a call may begin
    START = auto()  # where a call without tags may begin
    PROSE = auto()  # no call can begin any more
    CALL = auto()  # past a call's opening, which is kept aside
    OBJECT_END = auto()  # past a call's whole object, which is kept aside too
    ARGUMENTS = auto()  # of a call that is told as it comes
    CALL_END = auto()  # past those arguments


class ToolParser:
    """Takes text apart into content and calls.

    A call of a function that is not among `names`, or whose text is malformed, is content, to the letter.
    Blanks before a call and after the last are layout and belong to neither.

    streams: calls are told while they are written, for output that a grammar keeps well-formed. Otherwise a
        call is told when it is whole, since what has been told cannot become content again.
    max_calls: further calls are left out; None is no limit.
    """

    def __init__(
        self,
        tool_format: ToolFormat,
        names: Collection[str],
        *,
        streams: bool,
        new_id: Callable[[], str],
        max_calls: int | None = None,
    ) -> None:
        self._format = tool_format
        self._names = frozenset(names)
        self._heads = {tool_format.head(name) + "{": name for name in names} if streams else {}
        self._new_id = new_id
        self._max_calls = max_calls
        self.num_calls = 0
        self._steps = {
            _State.TEXT: self._read_text,
            _State.START: self._read_start,
            _State.PROSE: self._read_prose,
            _State.CALL: self._read_call,
            _State.OBJECT_END: self._read_object_end,
            _State.ARGUMENTS: self._read_arguments,
            _State.CALL_END: self._read_call_end,
        }
        self._between_calls = _State.TEXT if tool_format.begin else _State.START
        self._after_malformed = _State.TEXT if tool_format.begin else _State.PROSE
        self._state = self._between_calls
        self._buffer = ""
        self._is_final = False
        self._follows_call = False  # nothing but blanks since the last call
        self._opening = (
            ""  # opening and object came before the buffer; they are content if the call is malformed
        )
        self._object = ""
        self._span = JsonSpan()
        self._num_spanned = 0  # characters of the buffer that the span has seen
        self._content: list[str] = []
        self._calls: list[ToolCallDelta] = []

    def feed(self, text: str) -> ToolText:
        """What is certain after this piece."""
        self._buffer += text
        return self._drain()

    def finish(self) -> ToolText:
        """What is left at the end of the answer."""
        self._is_final = True
        return self._drain()

    def _drain(self) -> ToolText:
        while self._steps[self._state]():
            pass
        told = ToolText("".join(self._content), tuple(self._calls))
        self._content, self._calls = [], []
        return told

    # Each step returns whether another can follow at once: it has used up text or changed the state.

    def _read_text(self) -> bool:
        content, begin, rest = self._buffer.partition(self._format.begin)
        if begin:
            self._tell_content(content.rstrip())
            self._begin_call(content[len(content.rstrip()) :] + begin, rest)
            return True
        if not self._is_final:
            certain = len(content) - partial_suffix(content, (self._format.begin,))
            content = content[:certain].rstrip()
        elif self._follows_call and not content.strip():
            return False
        self._tell_content(content)
        self._buffer = self._buffer[len(content) :]
        return False

    def _read_start(self) -> bool:
        blanks = string.whitespace + (self._format.separator if self._follows_call else "")
        rest = self._buffer.lstrip(blanks)
        if rest.startswith("{"):
            self._begin_call(self._buffer[: -len(rest)], rest)
            return True
        if rest or (self._is_final and not self._follows_call):
            self._state = _State.PROSE
            return True
        return False

    def _read_prose(self) -> bool:
        self._tell_content(self._buffer)
        self._buffer = ""
        return False

    def _begin_call(self, opening: str, rest: str) -> None:
        self._opening, self._buffer = opening, rest
        self._span, self._num_spanned = JsonSpan(), 0
        self._state = _State.CALL

    def _read_call(self) -> bool:
        for head, name in self._heads.items():
            if self._buffer.startswith(head):
                self._tell_call(id=self._new_id(), name=name)
                self._buffer = self._buffer[len(head) - 1 :]
                self._state = _State.ARGUMENTS
                return True
            if head.startswith(self._buffer) and not self._is_final:
                return False
        return self._read_whole_call()

    def _read_whole_call(self) -> bool:
        start = self._buffer.lstrip()
        if start and not start.startswith("{"):
            return self._reject_call()
        end = self._span.feed(self._buffer[self._num_spanned :])
        if end is None:
            self._num_spanned = len(self._buffer)
            return self._is_final and self._reject_call()
        self._object, self._buffer = _cut(self._buffer, self._num_spanned + end)
        self._state = _State.OBJECT_END
        return True

    def _read_object_end(self) -> bool:
        tail = self._buffer.lstrip()
        if tail.startswith(self._format.end):
            num_used = len(self._buffer) - len(tail) + len(self._format.end) if self._format.end else 0
        elif not self._format.end.startswith(tail):
            return self._reject_call()
        elif self._is_final:
            num_used = len(self._buffer)
        else:
            return False
        call = WrittenCall.parse(self._object)
        if call is None or call[0] not in self._names:
            return self._reject_call()
        self._tell_call(id=self._new_id(), name=call[0], arguments=call[1])
        return self._end_call(num_used)

    def _reject_call(self) -> bool:
        self._tell_content(self._opening)
        self._buffer, self._object = self._object + self._buffer, ""
        self._state = self._after_malformed
        return True

    def _read_arguments(self) -> bool:
        end = self._span.feed(self._buffer)
        arguments, self._buffer = _cut(self._buffer, len(self._buffer) if end is None else end)
        if arguments:
            self._tell_call(arguments=arguments)
        if end is not None:
            self._state = _State.CALL_END
        return end is not None

    def _read_call_end(self) -> bool:
        if self._buffer.startswith(self._format.call_end):
            return self._end_call(len(self._format.call_end))
        if not self._format.call_end.startswith(self._buffer):
            return self._end_call(0)
        return self._is_final and self._end_call(len(self._buffer))

    def _end_call(self, num_used: int) -> bool:
        self._buffer = self._buffer[num_used:]
        self._object = ""
        self.num_calls += 1
        self._follows_call = True
        self._state = self._between_calls
        return True

    def _tell_content(self, text: str) -> None:
        if text:
            self._content.append(text)
            self._follows_call = False

    def _tell_call(self, *, id: str | None = None, name: str | None = None, arguments: str = "") -> None:
        if self._max_calls is None or self.num_calls < self._max_calls:
            self._calls.append(ToolCallDelta(index=self.num_calls, id=id, name=name, arguments=arguments))


def _cut(text: str, at: int) -> tuple[str, str]:
    return text[:at], text[at:]
