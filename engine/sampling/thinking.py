"""The thinking budget of a sequence: it counts the tokens of thoughts, and forces the end of one."""

from collections.abc import Iterable
from copy import copy
from enum import Enum, auto
from typing import Final

from engine.port.errors import InvalidRequest
from engine.port.request import ThinkingBudget
from engine.port.text.tokenizer import Tokenizer


class ThinkingTables:
    """The tokens of a request's thinking budget, made once for all of its sequences.

    begin_ids: the tokens that begin a thought.
    """

    def __init__(self, budget: ThinkingBudget, tokenizer: Tokenizer) -> None:
        """Encode the texts.

        Raises InvalidRequest for an empty marker, or a closing that the tokenizer cannot write so that it
        ends a thought.
        """
        self.budget = budget
        self.begin, self.end = budget.begin.encode(), budget.end.encode()
        self._tokenizer = tokenizer
        if not self.begin or not self.end:
            raise InvalidRequest("the markers of thoughts must not be empty")
        self.begin_ids = self._encode(budget.begin)
        self._closings = {0: self._encode(budget.closing)}
        if self.end not in b"".join(map(tokenizer.token_bytes, self._closings[0])):
            raise InvalidRequest("the closing of thoughts does not end a thought of this model")

    def bytes_of(self, token_id: int) -> bytes:
        return self._tokenizer.token_bytes(token_id)

    def closing(self, text: bytes) -> tuple[int, ...]:
        """Return the tokens that close a thought which ends with `text`.

        If a part of the end marker is there, they are the rest of it, so that nothing is written twice.
        """
        num_there = _overlap(text, self.end)
        if num_there not in self._closings:
            self._closings[num_there] = self._rest(num_there)
        return self._closings[num_there]

    def _rest(self, num_there: int) -> tuple[int, ...]:
        """Return the tokens of the closing after so many bytes of the end marker."""
        try:
            num_characters = len(self.end[:num_there].decode())
        except UnicodeDecodeError:  # in the middle of a character
            return self._closings[0]
        closing, end = self.budget.closing, self.budget.end
        rest = self._encode(closing[closing.index(end) + num_characters :])
        written = self.end[:num_there] + b"".join(map(self.bytes_of, rest))
        return rest if self.end in written else self._closings[0]

    def _encode(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(text, add_special_tokens=False))


_MAX_CHARACTER_BYTES: Final = 4  # of UTF-8


class _Stage(Enum):
    BEFORE = auto()  # a thought may begin
    INSIDE = auto()
    OVER = auto()  # no thought can begin any more


class ThoughtState:
    """One sequence's place before, in or after its thoughts. Markers are found in the bytes of its tokens."""

    def __init__(self, tables: ThinkingTables) -> None:
        self._tables = tables
        self._stage = _Stage.INSIDE if tables.budget.is_open else _Stage.BEFORE
        self._text = b""  # since the last marker, as far as a marker may begin in it
        self._last_bytes = b""
        self._last_ids: tuple[int, ...] = ()  # as many as may begin `begin_ids`
        self._num_tokens = 0  # of thoughts, without the markers that begin them
        self._forced: tuple[int, ...] = ()
        self._close_if_spent()

    @property
    def is_over(self) -> bool:
        """True if nothing that follows depends on the budget."""
        return self._stage is _Stage.OVER and not self._forced

    @property
    def forced_id(self) -> int | None:
        """The next token, if it closes a thought."""
        return self._forced[0] if self._forced else None

    @property
    def excluded_id(self) -> int | None:
        """The token that would begin another thought once the budget is spent, if there is one."""
        *before, last = self._tables.begin_ids
        can_begin = self._stage is _Stage.BEFORE and not self._tables.budget.is_single
        return last if can_begin and self._is_spent and self._last_ids == tuple(before) else None

    @property
    def _is_spent(self) -> bool:
        return self._num_tokens >= self._tables.budget.max_tokens

    def accept(self, token_id: int) -> None:
        """Follow the next token."""
        num_last = len(self._tables.begin_ids) - 1
        self._last_ids = (*self._last_ids, token_id)[-num_last:] if num_last else ()
        self._forced = self._forced[1:] if token_id == self.forced_id else ()
        if self._stage is _Stage.OVER:
            return
        self._num_tokens += self._stage is _Stage.INSIDE
        new = self._tables.bytes_of(token_id)
        self._text += new
        self._last_bytes = (self._last_bytes + new)[1 - _MAX_CHARACTER_BYTES :]
        while self._passes_marker():
            pass
        self._close_if_spent()

    def fork(self) -> "ThoughtState":
        """Return a copy for a sequence that continues on its own from here."""
        return copy(self)

    def _close_if_spent(self) -> None:
        """Begin to close a thought that is spent; a character that has begun is finished before.

        A grammar would not allow a closing within a character.
        """
        if self._stage is not _Stage.INSIDE or not self._is_spent or self._forced:
            return
        num_over = self._num_tokens - self._tables.budget.max_tokens
        if num_over >= _MAX_CHARACTER_BYTES - 1 or not _is_in_character(self._last_bytes):
            self._forced = self._tables.closing(self._text)

    def _passes_marker(self) -> bool:
        """Go on behind the next marker, and return whether another may follow it at once."""
        is_single = self._tables.budget.is_single
        if self._stage is _Stage.INSIDE:
            return self._goes_to(_Stage.OVER if is_single else _Stage.BEFORE, self._tables.end)
        if self._stage is _Stage.BEFORE and is_single:
            self._text = self._text.lstrip()
            if not _may_begin(self._text, self._tables.begin):
                self._stage = _Stage.OVER
        return self._stage is _Stage.BEFORE and self._goes_to(_Stage.INSIDE, self._tables.begin)

    def _goes_to(self, stage: _Stage, marker: bytes) -> bool:
        _, found, rest = self._text.partition(marker)
        if found:
            self._stage, self._text = stage, rest
        else:
            self._text = self._text[len(self._text) - _overlap(self._text, marker) :]
        return bool(found)


def _is_in_character(text: bytes) -> bool:
    """Return whether a text ends within a character of UTF-8."""
    for num_bytes, byte in enumerate(reversed(text), start=1):
        if byte >> 6 != 0b10:  # the first byte of a character, which says how many it has
            return num_bytes < (4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1)
    return False


def _may_begin(text: bytes, marker: bytes) -> bool:
    """Return whether a text begins with the marker, or is the beginning of it."""
    return text.startswith(marker) or marker.startswith(text)


def _overlap(text: bytes, marker: bytes) -> int:
    """Return the length of the longest end of a text that is a beginning of the marker, not all of it."""
    lengths: Iterable[int] = range(min(len(text), len(marker) - 1), 0, -1)
    return next((length for length in lengths if text.endswith(marker[:length])), 0)
