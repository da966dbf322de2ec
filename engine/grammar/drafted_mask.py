"""The tokens that a grammar allows after each token of a draft, while its own state stays where it is.

The matcher goes along the draft and back twice: before the step, to find how much of the draft the
grammar allows, and while the model computes, to fill the masks. (A fork of the matcher for each token would
copy the whole text so far.)
"""

from collections.abc import Sequence

from torch import Tensor

from engine.grammar.bitmask import new_bitmask
from engine.grammar.matcher import GrammarMatcher


class _Walk:
    """The masks along one draft, filled together. num_filled: None until then."""

    def __init__(self, state: GrammarMatcher, token_ids: Sequence[int]) -> None:
        self.state = state
        self.num_filled: int | None = None
        self._token_ids = token_ids
        self.bitmask = new_bitmask(len(token_ids), state.vocab_size)

    def fill(self) -> None:
        if self.num_filled is None:
            is_free = not self.state.is_too_slow  # else another thread may still use its matcher
            self.num_filled = self.state.fill_ahead(self._token_ids, self.bitmask) if is_free else 0


class DraftedMask:
    """The `GrammarMask` after one token of a draft, where the grammar is never complete."""

    is_complete = False
    stop_token_ids: Sequence[int] = ()

    def __init__(self, walk: _Walk, place: int) -> None:
        self._walk = walk
        self._place = place

    @property
    def is_too_slow(self) -> bool:
        """True if the mask could not be filled in time."""
        num_filled = self._walk.num_filled
        return num_filled is not None and self._place >= num_filled

    @property
    def is_prepared(self) -> bool:
        return self._walk.num_filled is not None

    def prepare(self) -> None:
        """Fill the masks of the whole draft; any thread may, as in `GrammarMatcher`."""
        self._walk.fill()

    def give_up(self) -> None:
        self._walk.num_filled = 0
        self._walk.state.give_up()

    @property
    def mask(self) -> Tensor:
        self.prepare()
        return self._walk.bitmask[self._place]


GrammarMask = GrammarMatcher | DraftedMask
"""The tokens that may come next in one place of a text."""


def drafted_masks(state: GrammarMatcher, token_ids: Sequence[int]) -> list[DraftedMask]:
    """Return the masks after each token of a draft, not yet filled; they last until the state's next token.

    token_ids: those that `GrammarMatcher.num_allowed` allows.
    """
    walk = _Walk(state, token_ids)
    return [DraftedMask(walk, place) for place in range(len(token_ids))]
