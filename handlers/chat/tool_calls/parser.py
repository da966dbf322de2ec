"""The parser of tool calls in an answer's text while it arrives; pure.

The joined results depend only on the text, not on how it was cut.
"""

import string
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Final

import msgspec

from handlers.chat.delta import ToolCallDelta
from handlers.chat.tool_calls.text import (
    CallArguments,
    CallBegin,
    CallEnd,
    CallPiece,
    EndOfText,
    IncomingText,
    Malformed,
)
from handlers.chat.tool_calls.tool_format import Opening, Schema, ToolFormat

# Characters that may be read again, since the blocks that they were read in were none: each of a thousand
# markers may begin a block that goes on to the end of the answer. More would keep other clients waiting.
_MAX_REREAD: Final = 1_000_000


class ToolText(msgspec.Struct, frozen=True):
    """The content and calls that a piece of text added."""

    content: str = ""
    calls: tuple[ToolCallDelta, ...] = ()


class ToolParser:
    """The parser of one text into content and calls.

    A call of a function that is not among the tools, or whose text is malformed, becomes content, unchanged.
    Blanks before a call and after the last call are layout and belong to neither. Where so many blocks were
    malformed that the text would be read over and over, the rest is content.

    tools: the schemas of the arguments by name of the function.
    streams: calls are emitted while they are written, for output that a grammar keeps well-formed. Otherwise
        a call is emitted when it is whole, since emitted pieces cannot become content again.
    new_id: an identifier for a call of this function, where the model writes none.
    max_calls: further calls are left out; None is no limit.
    """

    def __init__(
        self,
        tool_format: ToolFormat,
        tools: Mapping[str, Schema],
        *,
        streams: bool,
        new_id: Callable[[str], str],
        max_calls: int | None = None,
    ) -> None:
        self._format = tool_format
        self._tools = tools
        self._streams = streams
        self._new_id = new_id
        self._max_calls = max_calls
        self.num_calls = 0  # calls that are whole
        self._index = 0  # of the call that is read or comes next
        self._text = IncomingText()
        self._is_cut = False
        self._may_start = bool(tool_format.start)  # whether a block without a marker may begin here
        self._follows_call = False  # nothing but blanks since the last call
        self._has_marker = False  # whether the block has one; else it is known by its first character alone
        self._has_call = False  # whether a call of the block is whole, which stays one whatever follows
        self._begun: CallBegin | None = None  # the call that is being read
        self._held: list[CallPiece] = []  # of it, not emitted yet
        self._num_reread = 0  # characters of blocks that were none
        self._content: list[str] = []
        self._calls: list[ToolCallDelta] = []
        self._reading = self._read()

    def feed(self, text: str) -> ToolText:
        """Return the content and calls that are certain after this piece."""
        self._text.feed(text)
        return self._go_on()

    def finish(self, *, is_cut: bool = False) -> ToolText:
        """Return the rest at the end of the answer.

        is_cut: whether the answer ended against the model's will. An unfinished call is emitted with the
        arguments that there are, its markup dropped; otherwise it becomes content.
        """
        self._is_cut = is_cut
        self._text.finish()
        return self._go_on()

    def _go_on(self) -> ToolText:
        next(self._reading, None)
        found = ToolText("".join(self._content), tuple(self._calls))
        self._content, self._calls = [], []
        return found

    def _read(self) -> Generator[None, None, None]:
        while (yield from self._find_block()):
            try:
                yield from self._read_block()
            except EndOfText:
                self._end_short()
            except Malformed:
                self._reject()

    def _find_block(self) -> Generator[None, None, bool]:
        """Return whether a block begins after the next content; the text is settled up to there."""
        while not self._is_at_block():
            if self._text.is_final:
                return False
            yield
        return True

    def _is_at_block(self) -> bool:
        if self._may_start:
            unread = self._text.unread
            rest = unread.lstrip(self._layout)
            if rest.startswith(self._format.start):
                self._text.take(len(unread) - len(rest))
                self._has_marker = False
                return True
            self._may_start = not rest and (self._follows_call or not self._text.is_final)
        return not self._may_start and self._is_at_marker()

    @property
    def _layout(self) -> str:
        """The characters that may precede a block that has no marker."""
        return string.whitespace + (self._format.separator if self._follows_call else "")

    def _is_at_marker(self) -> bool:
        unread, is_final = self._text.unread, self._text.is_final
        opening = (
            self._format.opening(unread, is_final=is_final)
            if self._num_reread < _MAX_REREAD
            else Opening(len(unread), is_found=False)
        )
        content = unread[: opening.num_before].rstrip()
        if is_final and not opening.is_found:
            content = self._last_content(unread)
        self._emit_content(len(content))
        if opening.is_found:
            self._text.take(opening.num_before - len(content))
            self._has_marker = True
        return opening.is_found

    def _last_content(self, unread: str) -> str:
        """Return the unread text as content; after a call without blanks and without the start of
        another call.
        """
        if not self._follows_call:
            return unread
        rest = unread.lstrip()
        is_begun = self._is_cut and any(marker.startswith(rest) for marker in self._format.openings)
        return "" if is_begun or not unread.strip() else unread

    def _read_block(self) -> Generator[None, None, None]:
        self._has_call, self._begun, self._held = False, None, []
        for piece in self._format.read(self._text, self._tools, is_bound=self._streams):
            if piece is None:
                yield
            else:
                self._take(piece)
        self._text.settle()

    def _take(self, piece: CallPiece) -> None:
        self._held.append(piece)
        if isinstance(piece, CallBegin):
            if piece.name not in self._tools:
                raise Malformed
            self._begun = piece
        elif isinstance(piece, CallEnd):
            self._end_call()
        if self._streams:
            self._emit_held()

    def _end_call(self) -> None:
        if not self._streams and not _is_json_object(self._held):
            raise Malformed
        self._emit_held()
        self._begun = None
        self._index += 1
        self.num_calls += 1
        self._has_call = self._follows_call = True
        self._may_start = bool(self._format.start)

    def _end_short(self) -> None:
        """Settle a block inside which the text has ended."""
        if self._begun is not None:
            is_call = self._streams or self._is_cut
        else:
            is_call = self._is_cut and (self._streams or self._has_marker or self._has_call)
        self._text.take(len(self._text.unread))
        if not is_call:
            self._reject()
            return
        self._emit_held()
        self._text.settle()

    def _reject(self) -> None:
        """Return the text since the last call to the unread text, as content unless it was
        emitted already.
        """
        if self._streams and self._begun is not None:
            self._index += 1
        self._num_reread += self._text.unread_all()
        self._may_start = False
        if not self._has_call:
            # With its first character emitted, the block is not found again.
            unread = self._text.unread
            self._emit_content(len(unread) - len(unread.lstrip()) + 1)

    def _emit_content(self, num_characters: int) -> None:
        if num_characters:
            self._content.append(self._text.take(num_characters))
            self._follows_call = False
        self._text.settle()

    def _emit_held(self) -> None:
        for piece in self._held:
            match piece:
                case CallBegin(name=name, id=id):
                    self._emit_call(id=id or self._new_id(name), name=name)
                case CallArguments(json=json):
                    self._emit_call(arguments=json)
        self._held = []
        self._text.settle()

    def _emit_call(self, *, id: str | None = None, name: str | None = None, arguments: str = "") -> None:
        if self._max_calls is None or self._index < self._max_calls:
            self._calls.append(ToolCallDelta(index=self._index, id=id, name=name, arguments=arguments))


def _is_json_object(pieces: Sequence[CallPiece]) -> bool:
    """Return whether the arguments among the pieces are a JSON object."""
    arguments = "".join(piece.json for piece in pieces if isinstance(piece, CallArguments))
    try:
        msgspec.json.decode(arguments, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):  # nested deeper than any decoder goes
        return False
    return True
