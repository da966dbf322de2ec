"""The state of one sequence in its grammar, and the tokens that may come next."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import xgrammar
from torch import Tensor

from engine.grammar.run_time.processor_clock import processor_s
from engine.grammar.run_time.rules import Follower
from engine.grammar.run_time.time_budget import MAX_BYTE_S, MAX_STEP_S, TimeBudget
from engine.port.errors import GenerationFailed

# A byte that took so many times as long as it may is not timed again.
_MAX_REPEATED: Final = 4

_Result = TypeVar("_Result")


class GrammarMatcher:
    """The xgrammar matcher of one sequence, with the mask of the next token once it is filled."""

    def __init__(
        self,
        matcher: Any,
        stop_token_ids: Sequence[int],
        vocab_size: int,
        tokens: Sequence[bytes],
        followers: Sequence[Follower] = (),
    ) -> None:
        """Begin at the start of the text.

        tokens: the bytes of each id; b"" where the id is no text to the grammar.
        followers: the rules that are enforced at run time.
        """
        self._matcher = matcher
        self._stop_token_ids = stop_token_ids
        self._tokens = tokens
        self._followers = followers
        self.vocab_size = vocab_size
        self._bitmask = xgrammar.allocate_token_bitmask(1, vocab_size)
        # The result of `fill` for _bitmask; None if it was not filled since the last token.
        self._excludes: bool | None = None
        self._budget = TimeBudget()
        self._is_given_up = False
        # Tokens that may come next, with the masks after each; None if there are none since the last token.
        self._ahead: tuple[list[int], Any] | None = None

    @property
    def is_too_slow(self) -> bool:
        """True if a token took too long, or the whole text did, or the grammar was given up."""
        return self._is_given_up or self._budget.is_exceeded

    @property
    def is_complete(self) -> bool:
        """True if the end of the grammar was accepted, with a stop token if there is any."""
        if self._is_given_up:
            return False
        complete: bool = self._matcher.is_terminated()
        return complete

    @property
    def stop_token_ids(self) -> Sequence[int]:
        """The tokens that may end the text; after the end, the only ones allowed."""
        return self._stop_token_ids

    def accept(self, token_id: int) -> None:
        """Follow the token. A complete grammar is not advanced, since only stop tokens may come.

        Raises GenerationFailed for a token that the grammar does not allow; the sampler masks those.
        """
        self._excludes = self._ahead = None
        if self._is_given_up:
            return
        if self.is_complete:
            is_allowed = token_id in self._stop_token_ids
        else:
            is_allowed = self._probe(token_id, self._budget)
            if is_allowed and self._followers:
                self._timed(self._follow_rules, token_id)
            is_allowed = is_allowed and self._timed(self._take, token_id)
        if not is_allowed and not self.is_too_slow:
            raise GenerationFailed(f"the grammar does not allow token {token_id} here")

    def _take(self, token_id: int) -> bool:
        """Advance the matcher."""
        started = processor_s()
        is_allowed: bool = self._matcher.accept_token(token_id)
        self._budget.count_text(len(self._bytes(token_id)), processor_s() - started)
        return is_allowed

    def _bytes(self, token_id: int) -> bytes:
        return self._tokens[token_id] if token_id < len(self._tokens) else b""

    def _probe(self, token_id: int, budget: TimeBudget) -> bool:
        """Follow the token's bytes one by one, and go back; False as soon as it takes too long.

        The time of a byte may be a small multiple of that of the byte before, so that of a whole token has no
        useful bound: ten bytes may take four to the power of ten times as long as the first.
        """
        token = self._bytes(token_id)
        num_accepted, started = 0, processor_s()
        budget.longest_byte_s = 0.0
        for at in range(len(token) - 1):
            taken_s = self._follow_byte(token[at : at + 1])
            if taken_s is None:
                break  # a token that the grammar knows by its id, not by its text
            num_accepted += 1
            budget.count_byte(taken_s, processor_s() - started)
            if budget.is_exceeded:
                break
        if num_accepted:
            self._matcher.rollback(num_accepted)
        return not budget.is_exceeded

    def _follow_byte(self, byte: bytes) -> float | None:
        """Return the processor time that a byte takes; None if it is not allowed.

        One that seems a little too slow is timed once more, since page faults count as processor time.
        """
        started = processor_s()
        if not self._matcher.accept_string(byte):
            return None
        taken_s = processor_s() - started
        if MAX_BYTE_S < taken_s < _MAX_REPEATED * MAX_BYTE_S:
            self._matcher.rollback(1)
            started = processor_s()
            self._matcher.accept_string(byte)
            taken_s = min(taken_s, processor_s() - started)
        return taken_s

    def _follow_rules(self, token_id: int) -> None:
        """Follow the token in what is enforced at run time, and go back in the grammar."""
        token = self._tokens[token_id]
        byte_by_byte = []
        for follower in self._followers:
            if follower.needs_bytes(token):
                byte_by_byte.append(follower)
            else:
                follower.skip(token)
        num_accepted = 0
        for byte in token if byte_by_byte else b"":
            if not self._matcher.accept_string(bytes([byte])):
                for follower in byte_by_byte:
                    follower.leave()  # a token that the grammar knows by its id
                break
            num_accepted += 1
            for follower in byte_by_byte:
                follower.follow(byte, self._can_read)
        if num_accepted:
            self._matcher.rollback(num_accepted)

    def _can_read(self, text: bytes) -> bool:
        if not self._matcher.accept_string(text):
            return False
        self._matcher.rollback(1)
        return True

    def fill(self, bitmask: Any, row: int) -> bool:
        """Write the tokens that may come next into a row of a bitmask on the CPU, int32 [n, ceil(v / 32)].

        Returns whether any token is excluded. The grammar must not be complete.
        """
        return self._timed(self._fill, bitmask, row)

    def _fill(self, bitmask: Any, row: int) -> bool:
        excludes: bool = self._matcher.fill_next_token_bitmask(bitmask, row)
        if not excludes or not self._followers:
            return excludes  # where every token may come, the text is in no array and no string
        allowed = np.asarray(bitmask[row]).view(np.uint32)
        for follower in self._followers:
            follower.exclude(allowed, self._can_read)
        return True

    @property
    def is_prepared(self) -> bool:
        """True if `prepare` has nothing to do."""
        return self._excludes is not None or self.is_complete or self.is_too_slow

    def prepare(self) -> None:
        """Compute the mask of the next token, unless that is done. Another thread may call this, provided
        that nothing else uses this state meanwhile."""
        if not self.is_prepared:
            self._excludes = self.fill(self._bitmask, 0)

    def num_allowed(self, token_ids: Sequence[int]) -> int:
        """Return how many of these tokens may come next, one after another, and be followed by others.

        Masks alone show what is enforced at run time; these are kept for `fill_ahead`.
        """
        if self.is_complete or self.is_too_slow:
            return 0
        if not self._followers:
            return self._walk(token_ids)
        bitmask = xgrammar.allocate_token_bitmask(len(token_ids), self.vocab_size)
        num_allowed = self._walk(token_ids, bitmask)
        self._ahead = list(token_ids[:num_allowed]), bitmask
        return num_allowed

    def fill_ahead(self, token_ids: Sequence[int], bitmask: Any) -> int:
        """Write the tokens that may come after each of these into a row of a bitmask on the CPU.

        token_ids: allowed as in `num_allowed`. bitmask: int32 [len(token_ids), ceil(v / 32)]. Returns the
        number of rows that were written; less than all if it takes too long.
        """
        num_tokens = len(token_ids)
        if self._ahead is not None and self._ahead[0][:num_tokens] == list(token_ids):
            bitmask[:num_tokens] = self._ahead[1][:num_tokens]
            return num_tokens
        return self._walk(token_ids, bitmask)

    def _walk(self, token_ids: Sequence[int], bitmask: Any = None) -> int:
        """Follow the tokens as far as they are allowed, and go back; return how many were followed."""
        started, num_accepted = processor_s(), 0
        followers = self._followers
        mask = self.mask if followers else None
        if self.is_too_slow:
            return 0
        self._followers = [follower.copy() for follower in followers]
        for place, token_id in enumerate(token_ids):
            if followers and not _allows(bitmask[place - 1] if place else mask, token_id):
                break
            if not self._follow_ahead(token_id):
                break
            num_accepted += 1
            if bitmask is not None and not self._fill(bitmask, place):
                bitmask[place] = -1
            if processor_s() - started > MAX_STEP_S:
                break
        self._followers = followers
        if num_accepted:
            self._matcher.rollback(num_accepted)
        return num_accepted

    def _follow_ahead(self, token_id: int) -> bool:
        """Advance the matcher alone, unless the token is refused or slow, or completes the grammar."""
        budget = TimeBudget()  # what may never be drawn takes no time from the text
        if not (self._bytes(token_id) and self._probe(token_id, budget) and budget.is_quick):
            return False
        if self._followers:
            self._follow_rules(token_id)
        if not self._matcher.accept_token(token_id):
            return False
        if self._matcher.is_terminated():
            self._matcher.rollback(1)
            return False
        return True

    def give_up(self) -> None:
        """Mark the grammar as too slow, and leave its matcher alone, which another thread may still use."""
        self._is_given_up = True

    @property
    def mask(self) -> Tensor | None:
        """Return the tokens that may come next, int32 [ceil(v / 32)], a bit each; None if all may. The
        grammar must be neither complete nor too slow."""
        self.prepare()
        return self._bitmask[0] if self._excludes else None

    @property
    def only_token_id(self) -> int | None:
        """The only token that may come next; None if there is no such token, or the search may be slow.

        It is read from the mask, which is kept for the code that applies it. (xgrammar's own search for
        forced text has no bound: a grammar may force text without end.)
        """
        if self.is_complete:
            return self._stop_token_ids[0] if len(self._stop_token_ids) == 1 else None
        if self.is_too_slow or not self._budget.is_quick:
            return None
        mask = self.mask
        # The mask itself may have taken too long.
        return None if mask is None or self._budget.is_exceeded else _only_bit(mask)

    def _timed(self, step: Callable[..., _Result], *arguments: Any) -> _Result:
        started = processor_s()
        result = step(*arguments)
        self._budget.count_step(processor_s() - started)
        return result


def _allows(bitmask: Tensor | None, token_id: int) -> bool:
    """Return whether int32 [ceil(v / 32)] has the token's bit; None allows all."""
    return bitmask is None or bool(int(bitmask[token_id // 32]) >> token_id % 32 & 1)


def _only_bit(bitmask: Tensor) -> int | None:
    """Return the index of the only bit that is set in int32 [ceil(v / 32)]; None if not exactly one is."""
    words = bitmask.numpy().view(np.uint32)
    if np.count_nonzero(words) != 1:
        return None
    place = int(words.argmax())
    word = int(words[place])
    return place * 32 + word.bit_length() - 1 if word & (word - 1) == 0 else None
