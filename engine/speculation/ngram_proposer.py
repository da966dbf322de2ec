"""Drafts from a sequence's own text: what followed the last time that it had these tokens (prompt lookup).

A summary, an edit of code, an answer with quotations and a JSON document with many records repeat the prompt
or the text so far. The longest n-gram at the end of the text that has occurred before is looked for, and what
followed its latest occurrence is the draft (Saxena 2023,
https://github.com/apoorvumang/prompt-lookup-decoding; `ngram` in vLLM and TGI).
"""

from collections.abc import Sequence as SequenceOf
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.scheduling.sequence import Sequence
from engine.speculation.proposer import Proposal

# What followed a single token follows it again in one case of five to ten. What follows eight equal ones
# rarely depends on a ninth.
LONGEST = 8


class NgramProposer:
    """A `Proposer` that reads a sequence's prompt and output, a few microseconds for a thousand tokens."""

    def __init__(self) -> None:
        self._texts: WeakKeyDictionary[Sequence, _Text] = WeakKeyDictionary()

    def propose(self, wanted: SequenceOf[tuple[Sequence, int]]) -> list[Proposal]:
        return [self._propose(sequence, num_tokens) for sequence, num_tokens in wanted]

    def _propose(self, sequence: Sequence, num_tokens: int) -> Proposal:
        text = self._texts.get(sequence)
        if text is None:
            text = self._texts[sequence] = _Text()
        text.extend(sequence.token_ids)
        return text.continuation(num_tokens)


class _Text:
    """The tokens of one sequence in an array that grows by doubling."""

    def __init__(self) -> None:
        self._tokens: NDArray[np.int32] = np.empty(256, np.int32)
        self._length = 0

    def extend(self, token_ids: list[int]) -> None:
        """Append those of the sequence's tokens that are new."""
        if len(token_ids) > len(self._tokens):
            grown = np.empty(2 * len(token_ids), np.int32)
            grown[: self._length] = self._tokens[: self._length]
            self._tokens = grown
        self._tokens[self._length : len(token_ids)] = token_ids[self._length :]
        self._length = len(token_ids)

    def continuation(self, num_tokens: int) -> Proposal:
        """Return the tokens that followed the longest n-gram that occurred before, none if none did.

        A repetition that reaches the end goes on: after `a b a b a` comes `b a b a`.
        """
        start, num_matched = self._latest_match()
        if not num_matched or num_tokens < 1:
            return Proposal([], 0)
        known: list[int] = self._tokens[start : min(start + num_tokens, self._length)].tolist()
        period = len(known)
        return Proposal([known[place % period] for place in range(num_tokens)], num_matched)

    def _latest_match(self) -> tuple[int, int]:
        """Return the place after the latest of the longest matches, and their length; 0 if there is none."""
        text, found = self._tokens[: self._length], (0, 0)
        ends = np.flatnonzero(text[:-1] == text[-1:]) + 1  # after earlier occurrences of the last token
        for length in range(1, LONGEST + 1):
            if length > 1:
                ends = ends[ends >= length]
                ends = ends[text[ends - length] == text[-length]]
            if not len(ends):
                break
            found = int(ends[-1]), length
        return found
