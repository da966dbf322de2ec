"""The parser of tool calls in an answer's text while it arrives; pure.

The joined results depend only on the text, not on how it was cut.
"""

import string
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final

import msgspec

from handlers.chat.delta import ToolCallDelta
from handlers.chat.tool_calls.formats.registry import readings_of
from handlers.chat.tool_calls.lines import Lines
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
_LEAST_REREAD: Final = 50  # characters that a block counts at least, whose start takes time too
_MAX_BLANKS: Final = 256  # that are held back since they may come before a call
_MAX_HELD: Final = 1_000_000  # characters of a call that is held back until it is whole


class ToolText(msgspec.Struct, frozen=True):
    """The content and calls that a piece of text added."""

    content: str = ""
    calls: tuple[ToolCallDelta, ...] = ()


class ToolParser:
    """The parser of one text into content and calls.

    A call of a function that is not among the tools, or whose text is malformed, becomes content, unchanged.
    Blanks before a call and after the last call are layout and belong to neither, and so are closing tags
    after a call. Where so many blocks were malformed that the text would be read over and over, the rest is
    content. A block may lack its marker, or have the form of another version of the family; without a marker
    it is held back until a call of it is whole, and is content where it breaks off.

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
        self._readings = readings_of(tool_format)
        self._tools = tools
        self._streams = streams
        self._new_id = new_id
        self._max_calls = max_calls
        self.num_calls = 0  # calls that are whole
        self._index = 0  # of the call that is read or comes next
        self._text = IncomingText()
        strays, line_starts = (
            tuple(dict.fromkeys(chain.from_iterable(map(attrgetter(texts), self._readings))))
            for texts in ("strays", "line_starts")
        )
        self._lines = Lines(strays, line_starts)
        self._block_formats: list[ToolFormat] = []  # of which one may read the block that begins here
        # Where each format's marker is: what had arrived, the place, and whether it is whole.
        self._markers: dict[str, tuple[tuple[int, bool] | None, int, bool]] = {}
        self._is_stray = False  # whether the block lacks its marker
        self._may_start = bool(tool_format.start)  # whether a block without a marker may begin here
        self._follows_call = False  # nothing but blanks since the last call
        self._has_marker = False  # whether the block has one; else it is known only by its first character
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
        self._text.finish(is_cut=is_cut)
        return self._go_on()

    def _go_on(self) -> ToolText:
        next(self._reading, None)
        found = ToolText("".join(self._content), tuple(self._calls))
        self._content, self._calls = [], []
        return found

    def _read(self) -> Generator[None, None, None]:
        while (yield from self._find_block()):
            yield from self._read_block()

    def _find_block(self) -> Generator[None, None, bool]:
        """Return whether a block begins after the next content; the text is settled up to there."""
        while not self._is_at_block():
            if self._text.is_final:
                return False
            yield
        return True

    def _is_at_block(self) -> bool:
        if self._follows_call and self._skips_closes():
            return False
        if self._may_start:
            unread = self._text.unread
            rest = unread.lstrip(self._layout)
            num_blanks = len(unread) - len(rest)
            if num_blanks <= _MAX_BLANKS and rest.startswith(tuple(self._format.start)):
                self._text.take(num_blanks)
                self._block_formats, self._has_marker, self._is_stray = [self._format], False, False
                return True
            is_open = not rest and num_blanks <= _MAX_BLANKS
            self._may_start = is_open and (self._follows_call or not self._text.is_final)
        return not self._may_start and self._is_at_marker()

    @property
    def _layout(self) -> str:
        """The characters that may precede a block that has no marker."""
        return string.whitespace + (self._format.separator if self._follows_call else "")

    def _skips_closes(self) -> bool:
        """Read the closing tags that come once more after a call; return whether another may have begun."""
        while True:
            unread = self._text.unread
            rest = unread.lstrip()
            if len(unread) - len(rest) > _MAX_BLANKS:
                return False
            found = next((close for close in self._format.closes if rest.startswith(close)), None)
            if found is None:
                is_begun = any(close.startswith(rest) for close in self._format.closes)
                return is_begun and not self._text.is_final
            self._text.take(len(unread) - len(rest) + len(found))
            self._text.settle()

    def _is_at_marker(self) -> bool:
        unread, is_final = self._text.unread, self._text.is_final
        opening = self._opening(unread)
        # Blanks before a call are layout.
        num_content = max(len(unread[: opening.num_before].rstrip()), opening.num_before - _MAX_BLANKS)
        if is_final and not opening.is_found:
            num_content = len(self._last_content(unread))
        self._emit_content(num_content)
        if opening.is_found:
            self._text.take(opening.num_before - num_content)
            self._has_marker = True
        return opening.is_found

    def _opening(self, unread: str) -> Opening:
        """Return the first place at which a block may begin, and note the formats that it may have."""
        if self._num_reread >= _MAX_REREAD:
            return Opening(len(unread), is_found=False)
        marked = [(known, self._marked_opening(known, unread)) for known in self._readings]
        first = min((opening for _, opening in marked), key=_order)
        before = unread[: first.num_before] if first.is_found else unread
        at, is_found = self._lines.opening(before, is_final=self._text.is_final or first.is_found)
        stray = Opening(at, is_found=is_found)
        self._is_stray = _order(stray) < _order(first)
        if self._is_stray:
            self._block_formats = [
                known for known in self._readings if unread.startswith(known.strays + known.line_starts, at)
            ]
            return stray
        self._block_formats = [known for known, opening in marked if opening == first]
        return first

    def _marked_opening(self, known: ToolFormat, unread: str) -> Opening:
        """Return the first marker of a format. It is looked for once in the text that has arrived, since a
        thousand blocks of another format may come before it.
        """
        text = self._text
        arrived, place, is_found = self._markers.get(known.name, (None, -1, False))
        if arrived != (text.num_fed, text.is_final) or place < text.place:
            opening = known.opening(unread, is_final=text.is_final)
            arrived, place = (text.num_fed, text.is_final), text.place + opening.num_before
            is_found = opening.is_found
            self._markers[known.name] = arrived, place, is_found
        return Opening(place - text.place, is_found=is_found)

    def _last_content(self, unread: str) -> str:
        """Return the unread text as content; after a call without blanks and without the start of
        another call.
        """
        if not self._follows_call:
            return unread
        rest = unread.lstrip()
        is_begun = self._text.is_cut and any(marker.startswith(rest) for marker in self._format.openings)
        return "" if is_begun or not unread.strip() else unread

    def _read_block(self) -> Generator[None, None, None]:
        """Read a block in the first of its formats in which it is one."""
        self._has_call = False
        for known in self._block_formats:
            self._begun, self._held = None, []
            try:
                yield from self._read_as(known)
            except EndOfText:
                self._end_short()
                return
            except Malformed:
                if self._has_call or (self._streams_block and self._begun is not None):
                    break
                self._count_reread(self._text.unread_all())
            else:
                return
        self._reject()

    def _read_as(self, known: ToolFormat) -> Generator[None, None, None]:
        for piece in known.read(self._text, self._tools, is_bound=self._streams_block):
            if piece is not None:
                self._take(piece)
            elif self._text.num_held > _MAX_HELD and not self._streams_block:
                raise Malformed
            else:
                yield
        self._text.settle()

    @property
    def _streams_block(self) -> bool:
        """True if calls of the block are emitted while they are written. A block without its marker may still
        turn out to be prose.
        """
        return self._streams and not self._is_stray

    def _take(self, piece: CallPiece) -> None:
        self._held.append(piece)
        if isinstance(piece, CallBegin):
            if piece.name not in self._tools:
                raise Malformed
            self._begun = piece
        elif isinstance(piece, CallEnd):
            self._end_call()
        if self._streams_block:
            self._emit_held()

    def _end_call(self) -> None:
        if not self._streams_block and not _is_json_object(self._held):
            raise Malformed
        self._emit_held()
        self._begun = None
        self._index += 1
        self.num_calls += 1
        self._has_call = self._follows_call = True
        self._may_start = bool(self._format.start)
        self._lines.begin()

    def _end_short(self) -> None:
        """Settle a block inside which the text has ended."""
        if self._is_stray:
            is_call = False
        elif self._begun is not None:
            is_call = self._streams or self._text.is_cut
        else:
            is_call = self._text.is_cut and (self._streams or self._has_marker or self._has_call)
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
        if self._streams_block and self._begun is not None:
            self._index += 1
        self._count_reread(self._text.unread_all())
        self._may_start = False
        if not self._has_call:
            # With its first character emitted, the block is not found again.
            unread = self._text.unread
            self._emit_content(len(unread) - len(unread.lstrip()) + 1)

    def _count_reread(self, num_characters: int) -> None:
        self._num_reread += max(num_characters, _LEAST_REREAD)

    def _emit_content(self, num_characters: int) -> None:
        if num_characters:
            content = self._text.take(num_characters)
            self._content.append(content)
            self._lines.feed(content)
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


def _order(opening: Opening) -> tuple[int, bool]:
    return opening.num_before, not opening.is_found
