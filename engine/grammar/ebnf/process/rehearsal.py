"""The trial run of a compiled grammar, to see whether any of its tokens takes too long."""

import random
import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
import xgrammar

from engine.port.errors import InvalidGrammar

# Of processor time, for one byte of a token or one mask: a thousand times the usual.
MAX_CALL_S = 0.05
# A call that took longer, but not so many times as long, is made twice again: page faults count as processor
# time too, and so does what a host takes for another machine.
_MAX_REPEATED = 4
_NUM_REPEATS = 2
_NUM_TOKENS = 48
_NUM_CANDIDATES = 8


def rehearse(compiled: Any, tokens: Sequence[bytes], seconds: float) -> None:
    """Draw random texts until so many seconds of processor time have passed, three texts at most.

    Raises InvalidGrammar where a call takes longer than MAX_CALL_S. A grammar that passes may still be slow
    at places that no drawn text has reached: `GrammarMatcher` watches for those.
    """
    ends_at = time.thread_time() + seconds
    for seed in range(3):
        _draw_text(compiled, tokens, random.Random(seed), ends_at)


def _draw_text(compiled: Any, tokens: Sequence[bytes], generator: random.Random, ends_at: float) -> None:
    matcher = xgrammar.GrammarMatcher(compiled)
    bitmask = np.zeros((1, -(-len(tokens) // 32)), dtype=np.int32)
    for _ in range(_NUM_TOKENS):
        if time.thread_time() > ends_at:
            return
        _timed(lambda: matcher.fill_next_token_bitmask(bitmask), lambda _: None)
        allowed = np.unpackbits(bitmask.view(np.uint8), bitorder="little")[: len(tokens)].nonzero()[0]
        candidates = [
            tokens[generator.choice(allowed)] for _ in range(_NUM_CANDIDATES if len(allowed) else 0)
        ]
        token = max(candidates, key=len, default=b"")
        for at in range(len(token)):
            byte = token[at : at + 1]
            is_read = _timed(
                lambda byte=byte: matcher.accept_string(byte),  # type: ignore[misc]
                lambda is_read: matcher.rollback(1) if is_read else None,
            )
            if not is_read:
                return  # a token that the grammar knows by its id, not by its text
        if not token:
            return


def _timed(call: Callable[[], bool], undo: Callable[[bool], None]) -> bool:
    """Return the result of a call. undo: given that, goes back to what was before the call."""
    least_s = inf
    for attempt in range(1 + _NUM_REPEATS):
        started = time.thread_time()
        result = call()
        least_s = min(least_s, time.thread_time() - started)
        if least_s <= MAX_CALL_S:
            return result
        if least_s > _MAX_REPEATED * MAX_CALL_S:
            break
        if attempt < _NUM_REPEATS:
            undo(result)
    raise InvalidGrammar(
        f"the grammar takes too long to follow: {least_s * 1000:.0f} ms for one character, where "
        f"{MAX_CALL_S * 1000:.0f} are allowed; it can be read in too many ways"
    )
