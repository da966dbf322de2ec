"""The choices of beam search: which continuations go on, which are complete, and when the search ends.

The rules are those of transformers 5 (`GenerationMixin._beam_search`, for one prompt), with scores in
float64. Pure: no torch, no text, no cache.
"""

from collections.abc import Sequence
from heapq import nlargest
from typing import NamedTuple

from engine.port.events import TokenLogprob
from engine.port.request import BeamParams


class Candidate(NamedTuple):
    """A token that may follow a beam.

    score: its log-probability after bias, penalties and exclusions; finite. logprob, top_logprobs: as in
    `TokenEvent`.
    """

    token_id: int
    score: float
    logprob: float | None = None
    top_logprobs: tuple[TokenLogprob, ...] = ()


class Continuation(NamedTuple):
    """A beam, by its index, with one more token. score: the sum over all its tokens."""

    score: float
    beam: int
    token: Candidate


class Hypothesis(NamedTuple):
    """A complete sequence. score: the sum of its tokens' scores over length ** length_penalty."""

    score: float
    tokens: tuple[Candidate, ...]


class _Beam(NamedTuple):
    score: float
    tokens: tuple[Candidate, ...]


class BeamSearch:
    """The search for one prompt. All its beams have the same length."""

    def __init__(self, params: BeamParams, *, max_tokens: int, num_end_tokens: int) -> None:
        """Start a search. num_end_tokens: the number of token ids that end a sequence."""
        self._params = params
        self._max_tokens = max_tokens
        # Each beam ends with at most `num_end_tokens` of these, so enough remain that continue.
        self.num_candidates = max(2, 1 + num_end_tokens) * params.num_beams
        self._beams = [_Beam(0.0, ())]
        self.hypotheses: list[Hypothesis] = []  # the best complete ones, best first, at most num_beams

    def continuations(self, candidates: Sequence[Sequence[Candidate]]) -> list[Continuation]:
        """Return the best continuations of all beams, best first; ties by beam, then in the order given.

        candidates: for each beam its `num_candidates` best ones, or all there are, best first.
        """
        assert len(candidates) == len(self._beams)
        every = (
            Continuation(beam.score + token.score, place, token)
            for place, (beam, tokens) in enumerate(zip(self._beams, candidates, strict=True))
            for token in tokens[: self.num_candidates]
        )
        return nlargest(self.num_candidates, every, key=lambda continuation: continuation.score)

    def advance(
        self, continuations: Sequence[Continuation], is_complete: Sequence[bool]
    ) -> list[Continuation]:
        """Advance by all that `continuations` returned, given whether each completes its sequence.

        Returns those that go on, in the new order of the beams; none if the search is over.
        """
        is_last = len(self._beams[0].tokens) + 1 >= self._max_tokens
        num_beams = self._params.num_beams
        pairs = list(zip(continuations, is_complete, strict=True))
        # Only the first num_beams may complete; the others are there so that enough continue.
        for continuation, completes in pairs[:num_beams]:
            if completes or is_last:
                self._keep(continuation)
        living = [] if is_last else [one for one, completes in pairs if not completes][:num_beams]
        beams = [_Beam(one.score, self._extended(one)) for one in living]
        self._beams = beams if beams and not self._is_over(beams) else []
        return living if self._beams else []

    def _extended(self, continuation: Continuation) -> tuple[Candidate, ...]:
        return (*self._beams[continuation.beam].tokens, continuation.token)

    def _keep(self, continuation: Continuation) -> None:
        tokens = self._extended(continuation)
        complete = Hypothesis(self._normalised(continuation.score, len(tokens)), tokens)
        ranked = sorted([*self.hypotheses, complete], key=lambda hypothesis: -hypothesis.score)
        self.hypotheses = ranked[: self._params.num_beams]

    def _is_over(self, beams: Sequence[_Beam]) -> bool:
        if len(self.hypotheses) < self._params.num_beams:
            return False
        if self._params.early_stopping is True:
            return True
        to_the_end = self._params.early_stopping == "never" and self._params.length_penalty > 0
        length = self._max_tokens if to_the_end else len(beams[0].tokens)
        return self._normalised(beams[0].score, length) <= self.hypotheses[-1].score

    def _normalised(self, score: float, num_tokens: int) -> float:
        return float(score / num_tokens**self._params.length_penalty)
