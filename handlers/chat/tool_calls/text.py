"""Text that arrives in pieces, read by generators that pause where they need more of it; pure.

The results of a generator depend only on the text, not on how it was cut.
"""

import re
from collections.abc import Generator
from typing import TypeAlias, TypeVar

import msgspec

from handlers.chat.markers import partial_suffix

_BLANKS = re.compile(r"\s+")


class Malformed(Exception):
    """The text is no call."""


class EndOfText(Malformed):
    """The text ended inside a call."""


class CallBegin(msgspec.Struct, frozen=True):
    """A call of this function; `id` where the model wrote one."""

    name: str
    id: str | None = None


class CallArguments(msgspec.Struct, frozen=True):
    """JSON text; a call's pieces joined are its arguments."""

    json: str


class CallEnd(msgspec.Struct, frozen=True):
    """The call is whole."""


CallPiece: TypeAlias = CallBegin | CallArguments | CallEnd
T = TypeVar("T")
# What yields the pieces of calls, and None wherever it needs more text.
Reading: TypeAlias = Generator[CallPiece | None, None, T]
# What yields None wherever it needs more text.
Waiting: TypeAlias = Generator[None, None, T]


class IncomingText:
    """The text that has arrived and is not yet settled, with the position up to which it was read.

    The text is kept in pieces once it is read, so that long text in many small pieces is not copied for each.
    """

    def __init__(self) -> None:
        self._read: list[str] = []  # read since the text was last settled, and no part of the window
        self._window = ""
        self._settled = 0  # the place in the window up to which it is settled
        self._at = 0  # and up to which it is read
        self._num_read = 0  # characters of the pieces that were read
        self.num_fed = 0  # characters, all of them
        self.is_final = False
        self.is_cut = False

    @property
    def is_at_end(self) -> bool:
        """True if all text has arrived and was read."""
        return self.is_final and self.is_read

    @property
    def unread(self) -> str:
        return self._window[self._at :]

    @property
    def place(self) -> int:
        """The number of characters that were fed before the unread text."""
        return self.num_fed - len(self._window) + self._at

    @property
    def is_read(self) -> bool:
        """True if all text that has arrived is read."""
        return self._at == len(self._window)

    @property
    def next(self) -> str:
        """The next character that has arrived, which stays unread; "" if none has."""
        return self._window[self._at : self._at + 1]

    @property
    def num_held(self) -> int:
        """The number of characters that are not settled."""
        return self._num_read + len(self._window) - self._settled

    def feed(self, text: str) -> None:
        if self._at > self._settled:
            self._read.append(self._window[self._settled : self._at])
            self._num_read += self._at - self._settled
        self._window = self._window[self._at :] + text
        self.num_fed += len(text)
        self._settled = self._at = 0

    def finish(self, *, is_cut: bool = False) -> None:
        """Note that all text has arrived. is_cut: whether it ended against the model's will."""
        self.is_final, self.is_cut = True, is_cut

    def take(self, num_characters: int) -> str:
        taken = self._window[self._at : self._at + num_characters]
        self._at += len(taken)
        return taken

    def go_back(self, num_characters: int) -> None:
        """Unread the characters that were just taken, none of which is settled."""
        while num_characters > self._at:
            piece = self._read.pop()
            self._num_read -= len(piece)
            self._window = piece + self._window
            self._at += len(piece)
        self._at -= num_characters

    def settle(self) -> None:
        """Drop the text that was read; it cannot be unread any more."""
        self._read, self._num_read, self._settled = [], 0, self._at

    def unread_all(self) -> int:
        """Go back to the place at which the text was last settled; return by how many characters."""
        num_characters = self._num_read + self._at - self._settled
        if self._read:
            self._window = "".join(self._read) + self._window[self._settled :]
            self._read, self._num_read, self._settled = [], 0, 0
        self._at = self._settled
        return num_characters

    def more(self) -> Waiting[None]:
        """Pause until there is more text. Raises EndOfText where none will come."""
        if self.is_final:
            raise EndOfText
        yield None

    def peek(self) -> Waiting[str]:
        """Return the next character, which stays unread."""
        while self._at == len(self._window):
            yield from self.more()
        return self._window[self._at]

    def run_of(self, pattern: "re.Pattern[str]") -> str:
        """Read what of the text that has arrived matches the pattern from here on; "" if nothing does."""
        found = pattern.match(self._window, self._at)
        return self.take(found.end() - self._at) if found else ""

    def blanks(self) -> Waiting[str]:
        """Read all blanks that come next, and return them."""
        blanks = self.run_of(_BLANKS)
        while self._at == len(self._window) and not self.is_final:
            yield None
            blanks += self.run_of(_BLANKS)
        return blanks

    def literal(self, *options: str) -> Waiting[str]:
        """Read the longest option that comes next. Raises Malformed if none does; "" always does."""
        longest = max(map(len, options))
        while True:
            head = self._window[self._at : self._at + longest]
            found, is_begun = None, False
            for option in options:
                if head.startswith(option):
                    found = option if found is None or len(option) > len(found) else found
                elif option.startswith(head):
                    is_begun = True
            if not is_begun:
                break
            yield from self.more()
        if found is None:
            raise Malformed
        return self.take(len(found))

    def ending(self, *options: str) -> Waiting[str]:
        """Read as `literal` does after any blanks, which stay unread before ""; also return "" where the text
        ends, even within an option.
        """
        try:
            blanks = yield from self.blanks()
            found = yield from self.literal(*options)
        except EndOfText:
            self.take(len(self.unread))
            return ""
        if not found:
            self.go_back(len(blanks))
        return found

    def comes(self, *options: str) -> Waiting[str]:
        """Return the longest option that comes next, which stays unread; "" if none does."""
        found = yield from self.literal(*options, "")
        self.go_back(len(found))
        return found

    def until(self, end: str, *, limit: int | None = None) -> Waiting[str]:
        """Read the text before `end`, and `end` itself; return the text. Raises Malformed where it is longer
        than the limit.
        """
        pieces: list[str] = []
        num_before = 0
        while (found := self._window.find(end, self._at)) < 0:
            pieces.append(self.certain_before(end))
            num_before += len(pieces[-1])
            if limit is not None and num_before > limit:
                raise Malformed
            yield from self.more()
        pieces.append(self.take(found - self._at))
        self.take(len(end))
        before = "".join(pieces)
        if limit is not None and len(before) > limit:
            raise Malformed
        return before

    def certain_before(self, *ends: str) -> str:
        """Read the text that certainly comes before any of the ends, up to an end that has come."""
        found = [at for end in ends if (at := self._window.find(end, self._at)) >= 0]
        if found:
            return self.take(min(found) - self._at)
        unread = self.unread
        return self.take(len(unread) - partial_suffix(unread, ends))

    def spaced(self, literal: str) -> Waiting[None]:
        """Read the literal with any blanks around it, whatever blanks it has itself."""
        yield from self.blanks()
        yield from self.literal(literal.strip())
        yield from self.blanks()
