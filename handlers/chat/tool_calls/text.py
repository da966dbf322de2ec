"""Text that arrives in pieces, read by generators that pause where they need more of it; pure.

The results of a generator depend only on the text, not on how it was cut.
"""

import re
from collections.abc import Generator
from typing import TypeAlias, TypeVar

import msgspec

from handlers.chat.markers import partial_suffix
from handlers.chat.tool_calls.json_span import JsonSpan

_BLANKS = re.compile(r"\s*")


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


class IncomingText:
    """The text that has arrived and is not yet settled, with the position up to which it was read."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._is_final = False

    @property
    def is_final(self) -> bool:
        """True if all text has arrived."""
        return self._is_final

    @property
    def is_at_end(self) -> bool:
        """True if all text has arrived and was read."""
        return self._is_final and self._at == len(self._text)

    @property
    def unread(self) -> str:
        return self._text[self._at :]

    def feed(self, text: str) -> None:
        self._text += text

    def finish(self) -> None:
        self._is_final = True

    def take(self, num_characters: int) -> str:
        taken = self._text[self._at : self._at + num_characters]
        self._at += len(taken)
        return taken

    def go_back(self, num_characters: int) -> None:
        """Unread the characters that were just taken."""
        self._at -= num_characters

    def settle(self) -> None:
        """Drop the text that was read; it cannot be unread any more."""
        self._text, self._at = self.unread, 0

    def unread_all(self) -> int:
        """Go back to the place at which the text was last settled; return by how many characters."""
        num_characters, self._at = self._at, 0
        return num_characters

    def more(self) -> Reading[None]:
        """Pause until there is more text. Raises EndOfText where none will come."""
        if self._is_final:
            raise EndOfText
        yield None

    def peek(self) -> Reading[str]:
        """Return the next character, which stays unread."""
        while self._at == len(self._text):
            yield from self.more()
        return self._text[self._at]

    def blanks(self) -> Reading[None]:
        """Skip all blanks that come next."""
        while True:
            found = _BLANKS.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or self._is_final:
                return
            yield None

    def literal(self, *options: str) -> Reading[str]:
        """Read the longest option that comes next. Raises Malformed if none does; "" always does."""
        longest = max(map(len, options))
        while True:
            head = self._text[self._at : self._at + longest]
            found = max((option for option in options if head.startswith(option)), key=len, default=None)
            if not any(len(option) > len(head) and option.startswith(head) for option in options):
                break
            yield from self.more()
        if found is None:
            raise Malformed
        return self.take(len(found))

    def ending(self, *options: str) -> Reading[str]:
        """Read as `literal` does, but return "" where the text ends, even within an option."""
        try:
            yield from self.blanks()
            return (yield from self.literal(*options))
        except EndOfText:
            self.take(len(self.unread))
            return ""

    def spaced(self, literal: str) -> Reading[None]:
        """Read the literal with any blanks around it, whatever blanks it has itself."""
        yield from self.blanks()
        yield from self.literal(literal.strip())
        yield from self.blanks()

    def until(self, end: str) -> Reading[str]:
        """Read the text before `end`, and `end` itself; return the text."""
        num_searched = 0
        while (found := self._text.find(end, self._at + num_searched)) < 0:
            num_searched = max(len(self._text) - self._at - len(end) + 1, 0)
            yield from self.more()
        before = self.take(found - self._at)
        self.take(len(end))
        return before

    def certain_before(self, *ends: str) -> str:
        """Read the text that certainly comes before any of the ends, up to an end that has come."""
        found = [at for end in ends if (at := self._text.find(end, self._at)) >= 0]
        if found:
            return self.take(min(found) - self._at)
        unread = self.unread
        return self.take(len(unread) - partial_suffix(unread, ends))

    def json_object(self) -> Reading[None]:
        """Read a JSON object, and emit it as arguments while it arrives."""
        if (yield from self.peek()) != "{":
            raise Malformed
        span = JsonSpan()
        while True:
            unread = self.unread
            end = span.feed(unread)
            if piece := self.take(len(unread) if end is None else end):
                yield CallArguments(piece)
            if end is not None:
                return
            yield from self.more()
