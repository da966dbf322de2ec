"""The state of one sequence in its grammar, and the tokens that may come next."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor

from engine.grammar.bitmask import Words, new_bitmask, only_bit, set_bits, words_of
from engine.port.errors import GenerationFailed


class TextMatcher(Protocol):
    """One text's place in a compiled grammar."""

    @property
    def is_accepting(self) -> bool:
        """True if the text may end here."""
        ...

    @property
    def is_too_slow(self) -> bool:
        """True if a token, or the whole text, took more than it may; this never changes back."""
        ...

    @property
    def is_quick(self) -> bool:
        """True if what follows the last token is sure to take little time."""
        ...

    def accept(self, token_id: int) -> bool:
        """Follow a token; return False, and stay, if the grammar does not allow it, or it is too slow."""
        ...

    def accept_ahead(self, token_id: int) -> bool:
        """Follow a token of a draft, which `rollback` takes back; as `accept`, but it takes nothing from what
        the text may take."""
        ...

    def rollback(self, num_tokens: int) -> None:
        """Go back by so many tokens."""
        ...

    def fill(self, words: Words) -> None:
        """Write the tokens that the grammar allows next into a row of a bitmask."""
        ...


class GrammarMatcher:
    """The matcher of one sequence with its stop tokens, and the mask of the next token once it is filled."""

    def __init__(self, matcher: TextMatcher, stop_token_ids: Sequence[int], vocab_size: int) -> None:
        """Begin at the start of the text. vocab_size: of the bitmasks."""
        self._matcher = matcher
        self._stop_token_ids = stop_token_ids
        self.vocab_size = vocab_size
        self._bitmask = new_bitmask(1, vocab_size)
        self._is_filled = False  # for the next token
        self._is_given_up = False
        self._has_ended = False  # by a stop token

    @property
    def is_too_slow(self) -> bool:
        """True if a token took too long, or the whole text did, or the grammar was given up."""
        return self._is_given_up or self._matcher.is_too_slow

    @property
    def is_complete(self) -> bool:
        """True if the end of the grammar was accepted, with a stop token if there is any."""
        if self._is_given_up:
            return False
        return self._has_ended or (not self._stop_token_ids and self._matcher.is_accepting)

    @property
    def stop_token_ids(self) -> Sequence[int]:
        """The tokens that may end the text; after the end, the only ones allowed."""
        return self._stop_token_ids

    def accept(self, token_id: int) -> None:
        """Follow the token. A complete grammar is not advanced, since only stop tokens may come.

        Raises GenerationFailed for a token that the grammar does not allow; the sampler masks those.
        """
        self._is_filled = False
        if self._is_given_up:
            return
        if token_id in self._stop_token_ids:
            is_allowed = self._has_ended = self._has_ended or self._matcher.is_accepting
        else:
            is_allowed = not self.is_complete and self._matcher.accept(token_id)
        if not is_allowed and not self.is_too_slow:
            raise GenerationFailed(f"the grammar does not allow token {token_id} here")

    @property
    def is_prepared(self) -> bool:
        """True if `prepare` has nothing to do."""
        return self._is_filled or self.is_complete or self.is_too_slow

    def prepare(self) -> None:
        """Compute the mask of the next token, unless that is done. Another thread may call this, provided
        that nothing else uses this state meanwhile."""
        if not self.is_prepared:
            self.fill(self._bitmask[0])
            self._is_filled = True

    def fill(self, row: Tensor) -> None:
        """Write the tokens that may come next into a row of a bitmask on the CPU, int32 [ceil(v / 32)].

        The grammar must not be complete.
        """
        words = words_of(row)
        self._matcher.fill(words)
        set_bits(words, self._stop_token_ids, is_allowed=self._matcher.is_accepting)

    def num_allowed(self, token_ids: Sequence[int]) -> int:
        """Return how many of these tokens may come next, one after another, and be followed by others."""
        if self.is_complete or self.is_too_slow or not self._stop_token_ids:
            return 0
        return self._walk(token_ids)

    def fill_ahead(self, token_ids: Sequence[int], bitmask: Tensor) -> int:
        """Write the tokens that may come after each of these into a row of a bitmask on the CPU.

        token_ids: allowed as in `num_allowed`. bitmask: int32 [len(token_ids), ceil(v / 32)]. Returns the
        number of rows that were written; less than all if it takes too long.
        """
        return self._walk(token_ids, bitmask)

    def _walk(self, token_ids: Sequence[int], bitmask: Tensor | None = None) -> int:
        """Follow the tokens as far as they are allowed, and go back; return how many were followed."""
        num_followed = 0
        for token_id in token_ids:
            if self.is_too_slow or not self._matcher.accept_ahead(token_id):
                break
            if bitmask is not None:
                self.fill(bitmask[num_followed])
            num_followed += 1
        self._matcher.rollback(num_followed)
        return num_followed

    def give_up(self) -> None:
        """Mark the grammar as too slow, and leave its matcher alone, which another thread may still use."""
        self._is_given_up = True

    @property
    def mask(self) -> Tensor:
        """The tokens that may come next, int32 [ceil(v / 32)], a bit each. The grammar must be neither
        complete nor too slow."""
        self.prepare()
        return self._bitmask[0]

    @property
    def only_token_id(self) -> int | None:
        """The only token that may come next; None if there is no such token, or the search may be slow.

        It is read from the mask, which is kept for the code that applies it. (The libraries' own search for
        forced text has no bound: a grammar may force text without end.)
        """
        if self.is_complete:
            return self._stop_token_ids[0] if len(self._stop_token_ids) == 1 else None
        if self._is_given_up or not self._matcher.is_quick:
            return None
        self.prepare()  # which may take too long itself
        return only_bit(words_of(self._bitmask[0])) if self._is_filled and not self.is_too_slow else None
