"""The trial run of a compiled grammar, to see whether any of its tokens takes too long."""

import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.grammar.ebnf.matcher import EbnfMatcher
from engine.port.errors import InvalidGrammar

_NUM_TEXTS = 3
_NUM_TOKENS = 48
_NUM_CANDIDATES = 8


def rehearse(compiled: Any, tokens: Sequence[bytes], seconds: float) -> None:
    """Draw random texts until so many seconds of processor time have passed, three texts at most.

    Raises InvalidGrammar where a text would fail its request. A grammar that passes may still be slow at
    places that no drawn text has reached: `EbnfMatcher` watches for those.
    """
    ends_at = time.thread_time() + seconds
    for seed in range(_NUM_TEXTS):
        matcher = EbnfMatcher(compiled, tokens)
        _draw_text(matcher, tokens, random.Random(seed), ends_at)
        if matcher.is_too_slow:
            raise InvalidGrammar("the grammar takes too long to follow; it can be read in too many ways")


def _draw_text(
    matcher: EbnfMatcher, tokens: Sequence[bytes], generator: random.Random, ends_at: float
) -> None:
    words = np.zeros(-(-len(tokens) // 32), dtype=np.uint32)
    for _ in range(_NUM_TOKENS):
        matcher.fill(words)
        allowed = np.unpackbits(words.view(np.uint8), bitorder="little")[: len(tokens)].nonzero()[0]
        drawn = [int(generator.choice(allowed)) for _ in range(_NUM_CANDIDATES if len(allowed) else 0)]
        longest = max(drawn, key=lambda token_id: len(tokens[token_id]), default=len(tokens) - 1)
        is_over = not tokens[longest] or time.thread_time() > ends_at
        if is_over or not matcher.accept(longest):
            return
