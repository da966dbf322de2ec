"""How far one sequence has come in its grammar, and which tokens may come next there."""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import xgrammar
from torch import Tensor

from engine.errors import GenerationFailed
from engine.grammar_vocabulary import GrammarVocabulary

# Of processor time, for one token of one sequence: a thousand times the usual. A grammar that reads a text in
# very many ways may need ever more, and every other sequence would wait for it.
MAX_STEP_S = 0.25

_Result = TypeVar("_Result")


class GrammarState:
    """A matcher of xgrammar's at one sequence's end, and what is known there of the next token."""

    def __init__(
        self, matcher: Any, stop_token_ids: Sequence[int], vocab_size: int, vocabulary: GrammarVocabulary
    ) -> None:
        self._matcher = matcher
        self._stop_token_ids = stop_token_ids
        self._vocabulary = vocabulary
        self._bitmask = xgrammar.allocate_token_bitmask(1, vocab_size)
        self._excludes: bool | None = (
            None  # what `fill` says of _bitmask; None: not filled since the last token
        )
        self._certain = b""  # text that must come next, perhaps not all of it
        self.is_too_slow = False  # whether a token took longer than MAX_STEP_S

    @property
    def is_complete(self) -> bool:
        """Whether the end of the grammar was accepted: by a stop token, or without one where there is
        none."""
        complete: bool = self._matcher.is_terminated()
        return complete

    @property
    def stop_token_ids(self) -> Sequence[int]:
        """The tokens that may end the text; after the end, the only ones allowed."""
        return self._stop_token_ids

    def accept(self, token_id: int) -> None:
        """Follows the token. A complete grammar is not advanced: what may come is stop tokens.

        Raises GenerationFailed for a token that the grammar does not allow; the sampler masks those.
        """
        self._excludes = None
        self._certain = self._vocabulary.text_behind(token_id, self._certain)
        if self.is_complete:
            is_allowed = token_id in self._stop_token_ids
        else:
            is_allowed = self._timed(self._matcher.accept_token, token_id)
        if not is_allowed:
            raise GenerationFailed(f"the grammar does not allow token {token_id} here")

    def fill(self, bitmask: Any, row: int) -> bool:
        """Writes which tokens may come next into row `row` of an int32 bitmask [n, ceil(v / 32)] on the CPU.

        Returns whether any token is excluded. The grammar must not be complete.
        """
        excludes: bool = self._timed(self._matcher.fill_next_token_bitmask, bitmask, row)
        return excludes

    @property
    def is_prepared(self) -> bool:
        """Whether `prepare` has nothing to do."""
        return self._excludes is not None or self.is_complete or self.is_too_slow

    def prepare(self) -> None:
        """Works out which tokens may come next, unless that is done. Another thread may do it, provided that
        nothing else uses this state meanwhile."""
        if not self.is_prepared:
            self._excludes = self.fill(self._bitmask, 0)

    @property
    def mask(self) -> Tensor | None:
        """Which tokens may come next, int32 [ceil(v / 32)], a bit each; None: all may. The grammar must be
        neither complete nor too slow."""
        self.prepare()
        return self._bitmask[0] if self._excludes else None

    @property
    def only_token_id(self) -> int | None:
        """The one token that may come next. None: there are more, or none, or it is too slow to find out.

        Where a look at the text that must come does not tell, `prepare` is called, early for who masks.
        """
        if self.is_complete:
            return self._stop_token_ids[0] if len(self._stop_token_ids) == 1 else None
        if self.is_too_slow or self._has_choice():
            return None
        mask = self.mask
        return None if mask is None or self._became_too_slow() else _only_bit(mask)

    def _became_too_slow(self) -> bool:
        return self.is_too_slow

    def _has_choice(self) -> bool:
        """Whether more than one token may come for certain: a look that takes a tenth of the time of a mask
        where the vocabulary is large."""
        if not self._certain:
            self._certain = self._timed(self._find_certain)
        if not self._certain:
            return not self._matcher.is_completed()  # where no more text may come, but the end may
        return self._vocabulary.has_choice(self._certain)

    def _find_certain(self) -> bytes:
        try:
            text: str = self._matcher.find_jump_forward_string()
        except UnicodeDecodeError as error:  # it ends within a character
            return error.object
        return text.encode()

    def _timed(self, step: Callable[..., _Result], *arguments: Any) -> _Result:
        started = time.thread_time()
        result = step(*arguments)
        self.is_too_slow |= time.thread_time() - started > MAX_STEP_S
        return result


def _only_bit(bitmask: Tensor) -> int | None:
    """The place of the only bit that is set in int32 [ceil(v / 32)]; None if there are none or more."""
    words = bitmask.numpy().view(np.uint32)
    places = words.nonzero()[0]
    if len(places) != 1:
        return None
    word = int(words[places[0]])
    return int(places[0]) * 32 + word.bit_length() - 1 if word & (word - 1) == 0 else None
