"""The state of one sequence in its grammar, and the tokens that may come next."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import xgrammar
from torch import Tensor

from engine.errors import GenerationFailed
from engine.grammar.run_time.processor_clock import processor_s
from engine.grammar.run_time.rules import Follower

# Of processor time, for one token of one sequence: a thousand times the usual. A grammar that reads a text in
# very many ways may need ever more, and every other sequence would wait for it.
MAX_STEP_S = 0.25
# Of one byte of a token: the next may take several times as long.
MAX_BYTE_S = 0.05
# One that took so many times as long is not timed again.
MAX_REPEATED = 4
# Of one byte, where the mask behind it is sure to be quick; xgrammar may try the bytes of most tokens for it.
MAX_SURE_BYTE_S = 0.001
# Of a whole text, at its start and for each byte: ten times the usual. The matcher keeps all that it has
# read, about a byte for each nanosecond; where the ways to read a text become more with its length, a
# megabyte of text would fill any memory, long before one token of it is slow.
MAX_FIRST_S = 0.25
MAX_MEAN_BYTE_S = 0.00003

_Result = TypeVar("_Result")


class GrammarState:
    """The xgrammar matcher of one sequence, with the mask of the next token once it is filled."""

    def __init__(
        self,
        matcher: Any,
        stop_token_ids: Sequence[int],
        vocab_size: int,
        tokens: Sequence[bytes],
        followers: Sequence[Follower] = (),
    ) -> None:
        """tokens: the bytes of each id; b"" where the id is no text to the grammar. followers: of what is
        enforced at run time."""
        self._matcher = matcher
        self._stop_token_ids = stop_token_ids
        self._tokens = tokens
        self._followers = followers
        self.vocab_size = vocab_size
        self._bitmask = xgrammar.allocate_token_bitmask(1, vocab_size)
        self._excludes: bool | None = (
            None  # what `fill` says of _bitmask; None: not filled since the last token
        )
        self.is_too_slow = False  # whether a token took longer than MAX_STEP_S, or all took more than allowed
        self._spare_s = MAX_FIRST_S  # of processor time: what is left for the next tokens
        self._is_given_up = False
        self._byte_s = 0.0  # the longest time that a byte of the last token took
        # Tokens that may come next, with the masks after each; None if there are none since the last token.
        self._ahead: tuple[list[int], Any] | None = None

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
            is_allowed = self._probe(token_id)
            if is_allowed and self._followers:
                self._timed(self._follow_rules, token_id)
            is_allowed = is_allowed and self._timed(self._take, token_id)
        if not is_allowed and not self.is_too_slow:
            raise GenerationFailed(f"the grammar does not allow token {token_id} here")

    def _take(self, token_id: int) -> bool:
        """Advance the matcher, if all tokens so far leave time for it."""
        started = processor_s()
        is_allowed: bool = self._matcher.accept_token(token_id)
        num_bytes = len(self._tokens[token_id]) if token_id < len(self._tokens) else 0
        self._spare_s += MAX_MEAN_BYTE_S * num_bytes - (processor_s() - started)
        self.is_too_slow |= self._spare_s < 0
        return is_allowed

    def _probe(self, token_id: int) -> bool:
        """Follow the token's bytes one by one, and go back; False as soon as it takes too long.

        The time of a byte may be a small multiple of that of the byte before, so that of a whole token has no
        useful bound: ten bytes may take four to the power of ten times as long as the first.
        """
        token = self._tokens[token_id] if token_id < len(self._tokens) else b""
        num_accepted, started = 0, processor_s()
        self._byte_s = 0.0
        for at in range(len(token) - 1):
            taken_s = self._follow_byte(token[at : at + 1])
            if taken_s is None:
                break  # a token that the grammar knows by its id, not by its text
            num_accepted += 1
            self._byte_s = max(self._byte_s, taken_s)
            if self._byte_s > MAX_BYTE_S or processor_s() - started > MAX_STEP_S:
                self.is_too_slow = True
                break
        if num_accepted:
            self._matcher.rollback(num_accepted)
        return not self.is_too_slow

    def _follow_byte(self, byte: bytes) -> float | None:
        """Return the processor time that a byte takes; None if it is not allowed.

        One that seems a little too slow is timed once more, since page faults count as processor time.
        """
        started = processor_s()
        if not self._matcher.accept_string(byte):
            return None
        taken_s = processor_s() - started
        if MAX_BYTE_S < taken_s < MAX_REPEATED * MAX_BYTE_S:
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
        token = self._tokens[token_id] if token_id < len(self._tokens) else b""
        before = self._byte_s, self.is_too_slow
        is_quick = token != b"" and self._probe(token_id) and self._byte_s <= MAX_SURE_BYTE_S
        self._byte_s, self.is_too_slow = before
        if not is_quick:
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
        self.is_too_slow = self._is_given_up = True

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
        if self.is_too_slow or self._byte_s > MAX_SURE_BYTE_S:
            return None
        mask = self.mask
        return None if mask is None or self._became_too_slow() else _only_bit(mask)

    def _became_too_slow(self) -> bool:
        return self.is_too_slow

    def _timed(self, step: Callable[..., _Result], *arguments: Any) -> _Result:
        started = processor_s()
        result = step(*arguments)
        self.is_too_slow |= processor_s() - started > MAX_STEP_S
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
