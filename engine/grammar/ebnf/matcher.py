"""The place of one text in a grammar that xgrammar reads, which is watched for what takes too long."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xgrammar

from engine.grammar.ebnf.processor_clock import processor_s
from engine.grammar.ebnf.time_budget import MAX_BYTE_S, TimeBudget

# A byte that took so many times as long as it may is not timed again.
_MAX_REPEATED: Final = 4


class EbnfMatcher:
    """A matcher of xgrammar's."""

    def __init__(self, compiled: Any, tokens: Sequence[bytes]) -> None:
        """Begin at the start of the text.

        compiled: an `xgrammar.CompiledGrammar`. tokens: the bytes of each id; b"" for one without text.
        """
        self._matcher = xgrammar.GrammarMatcher(compiled)
        self._tokens = tokens
        self._budget = TimeBudget()

    @property
    def is_accepting(self) -> bool:
        accepting: bool = self._matcher.is_completed()
        return accepting

    @property
    def is_too_slow(self) -> bool:
        return self._budget.is_exceeded

    @property
    def is_quick(self) -> bool:
        return self._budget.is_quick

    def accept(self, token_id: int) -> bool:
        if not self._probe(token_id, self._budget):
            return False
        started = processor_s()
        is_allowed: bool = self._matcher.accept_token(token_id)
        taken_s = processor_s() - started
        self._budget.count_text(len(self._bytes(token_id)), taken_s)
        self._budget.count_step(taken_s)
        return is_allowed

    def accept_ahead(self, token_id: int) -> bool:
        budget = TimeBudget()  # what may never be drawn takes no time from the text
        if not (self._bytes(token_id) and self._probe(token_id, budget) and budget.is_quick):
            return False
        is_allowed: bool = self._matcher.accept_token(token_id)
        return is_allowed

    def rollback(self, num_tokens: int) -> None:
        if num_tokens:
            self._matcher.rollback(num_tokens)

    def fill(self, words: npt.NDArray[np.uint32]) -> None:
        started = processor_s()
        words.fill(0xFFFFFFFF)  # which xgrammar leaves as it is where every token may come
        self._matcher.fill_next_token_bitmask(words.view(np.int32)[np.newaxis], 0)
        self._budget.count_step(processor_s() - started)

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
        self.rollback(num_accepted)
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
