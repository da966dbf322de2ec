"""The place of one text in a grammar with arrays whose items have to be different."""

from collections.abc import Sequence

import numpy as np

from engine.grammar.bitmask import Words, has_bit
from engine.grammar.lark.matcher import LarkMatcher
from engine.grammar.run_time.unique_items import UniqueItemsFollower


class RuledMatcher:
    """A matcher, and the arrays that its text is in."""

    is_quick = True

    def __init__(self, matcher: LarkMatcher, follower: UniqueItemsFollower, tokens: Sequence[bytes]) -> None:
        """Begin at the start of the text. tokens: the bytes of each id."""
        self._matcher = matcher
        self._follower = follower
        self._tokens = tokens
        self._before: list[UniqueItemsFollower] = []  # each token of a draft

    @property
    def is_accepting(self) -> bool:
        return self._matcher.is_accepting

    @property
    def is_too_slow(self) -> bool:
        return self._matcher.is_too_slow

    def accept(self, token_id: int) -> bool:
        is_allowed = self._matcher.accept(token_id)
        if is_allowed:
            self._follower.accept(self._tokens[token_id])
        return is_allowed

    def accept_ahead(self, token_id: int) -> bool:
        """Follow a token of a draft, for which no mask may have been filled yet."""
        allowed = np.full(-(-len(self._tokens) // 32), -1, np.int32).view(np.uint32)
        self._follower.exclude(allowed)
        before = self._follower.copy()
        if not has_bit(allowed, token_id) or not self.accept(token_id):
            return False
        self._before.append(before)
        return True

    def rollback(self, num_tokens: int) -> None:
        self._matcher.rollback(num_tokens)
        for _ in range(num_tokens):
            self._follower = self._before.pop()

    def fill(self, words: Words) -> None:
        self._matcher.fill(words)
        self._follower.exclude(words)
