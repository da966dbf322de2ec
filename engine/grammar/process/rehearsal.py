"""The trial run of a compiled grammar, to see whether any of its tokens takes too long."""

import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import xgrammar

from engine.errors import InvalidGrammar

# Of processor time, for one byte of a token or one mask: a thousand times the usual.
MAX_CALL_S = 0.05
_NUM_TOKENS = 48
_NUM_CANDIDATES = 8


def rehearse(compiled: Any, tokens: Sequence[bytes], seconds: float) -> None:
    """Draw random texts until so many seconds have passed, three texts at most.

    Raises InvalidGrammar where a call takes longer than MAX_CALL_S. A grammar that passes may still be slow
    at places that no drawn text has reached: `GrammarState` watches for those.
    """
    ends_at = time.perf_counter() + seconds
    for seed in range(3):
        _draw_text(compiled, tokens, random.Random(seed), ends_at)


def _draw_text(compiled: Any, tokens: Sequence[bytes], generator: random.Random, ends_at: float) -> None:
    matcher = xgrammar.GrammarMatcher(compiled)
    bitmask = np.zeros((1, -(-len(tokens) // 32)), dtype=np.int32)
    for _ in range(_NUM_TOKENS):
        if time.perf_counter() > ends_at:
            return
        _timed(matcher.fill_next_token_bitmask, bitmask)
        allowed = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[: len(tokens)].nonzero()[0]
        candidates = [
            tokens[generator.choice(allowed)] for _ in range(_NUM_CANDIDATES if len(allowed) else 0)
        ]
        token = max(candidates, key=len, default=b"")
        for at in range(len(token)):
            if not _timed(matcher.accept_string, token[at : at + 1]):
                return  # a token that the grammar knows by its id, not by its text
        if not token:
            return


def _timed(call: Any, argument: Any) -> Any:
    started = time.thread_time()
    result = call(argument)
    if (taken_s := time.thread_time() - started) > MAX_CALL_S:
        raise InvalidGrammar(
            f"the grammar takes too long to follow: {taken_s * 1000:.0f} ms for one character, where "
            f"{MAX_CALL_S * 1000:.0f} are allowed; it can be read in too many ways"
        )
    return result
