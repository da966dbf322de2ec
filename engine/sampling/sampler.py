"""The sampler, which draws the next token of each sequence from its logits."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.host.transfers import DeviceValue, Readback, send, upload
from engine.port.errors import GenerationFailed, NotFinite, NoTokenLeft
from engine.port.events import TokenLogprob
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.beam_search import Candidate
from engine.sampling.draw import draw_greedy, draw_sampled
from engine.sampling.logprobs import NamedRows, RankedRows, log_probabilities, log_sums
from engine.sampling.processors import adjust_logits
from engine.sampling.ranking import best_tokens, top_tokens
from engine.sampling.state import SamplingState
from engine.sampling.vocab_blocks import max_rows

# Takes logits [n, v] and the states of the rows. Returns ids [n], and whether a token could be drawn [n].
Draw = Callable[[Tensor, Sequence[SamplingState]], tuple[Tensor, Tensor]]


class LaunchedLogprobs(NamedTuple):
    """The log-probabilities of some rows, which the device is computing.

    rows: ascending. of_drawn: [n] float32, of the drawn tokens. ranked, named: the tokens to list for each
    row; at most one of them has any for a row.
    """

    rows: Sequence[int]
    of_drawn: DeviceValue
    ranked: RankedRows
    named: NamedRows

    def scores(self, tokenizer: Tokenizer) -> Iterator[tuple[int, float, tuple[TokenLogprob, ...]]]:
        """Yield each row, its drawn token's log-probability, and the tokens listed for it.

        Call it after `Readback.read`.
        """
        listed = zip(self.ranked.tokens(tokenizer), self.named.tokens(tokenizer), strict=True)
        drawn: list[float] = self.of_drawn.array.tolist()
        for row, logprob, (ranked, named) in zip(self.rows, drawn, listed, strict=True):
            yield row, logprob, named or ranked


class LaunchedSamples(NamedTuple):
    """The tokens of some rows, which the device is drawing.

    token_ids: [n] int64. is_drawn: [n] bool. is_finite: [n] bool, whether the raw maximum of a row whose
    logits were adjusted is finite; None if no row was adjusted. logprobs: those of chunks of rows.
    """

    states: Sequence[SamplingState]
    token_ids: DeviceValue
    is_drawn: DeviceValue
    is_finite: DeviceValue | None
    logprobs: list[LaunchedLogprobs]

    def results(self, tokenizer: Tokenizer) -> list[Sampled | GenerationFailed]:
        """Return a token or an error for each row. Call it after `Readback.read`."""
        token_ids: list[int] = self.token_ids.array.tolist()
        is_drawn: list[bool] = self.is_drawn.array.tolist()
        results: list[Sampled | GenerationFailed] = [
            Sampled(token_id) if drawn else self._why_none(row)
            for row, (token_id, drawn) in enumerate(zip(token_ids, is_drawn, strict=True))
        ]
        for launched in self.logprobs:
            for row, logprob, top_logprobs in launched.scores(tokenizer):
                if is_drawn[row]:
                    results[row] = Sampled(token_ids[row], logprob, top_logprobs)
        return results

    def _why_none(self, row: int) -> GenerationFailed:
        is_finite = self.is_finite is not None and bool(self.is_finite.array[row])
        return _why_none(self.states[row], is_finite=is_finite)


class LaunchedCandidates(NamedTuple):
    """The best tokens of some rows, which the device is ranking for beam search.

    token_ids, scores, logprobs: [n, num_candidates]. is_finite: [n] bool, whether the raw maximum
    is finite.
    """

    states: Sequence[SamplingState]
    token_ids: DeviceValue
    scores: DeviceValue
    logprobs: DeviceValue
    is_finite: DeviceValue
    ranked: RankedRows

    def results(self, tokenizer: Tokenizer) -> list[list[Candidate] | GenerationFailed]:
        """Return each row's candidates, best first, or its error. Call it after `Readback.read`."""
        rows = zip(
            self.states,
            self.is_finite.array.tolist(),
            self.token_ids.array.tolist(),
            self.scores.array.tolist(),
            self.logprobs.array.tolist(),
            self.ranked.tokens(tokenizer),
            strict=True,
        )
        return [
            _candidates(ids, scores, logprobs, ranked, state=state)
            if math.isfinite(scores[0])
            else _why_none(state, is_finite=is_finite)
            for state, is_finite, ids, scores, logprobs, ranked in rows
        ]


class Sampler:
    """The sampler of a whole batch, which processes rows together that need the same steps.

    A greedy row without logits processors costs an argmax. A row's token depends on its logits and its state,
    not on the batch. Nothing here waits for the device: results are read through a `Readback`.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._num_ids = max(tokenizer.known_ids) + 1  # logits from here on belong to no token
        has_gaps = len(tokenizer.known_ids) < self._num_ids
        gaps = sorted(set(range(self._num_ids)) - tokenizer.known_ids) if has_gaps else []
        self._gaps = torch.tensor(gaps, dtype=torch.int64)

    @torch.inference_mode()
    def launch(self, logits: Tensor, states: Sequence[SamplingState], readback: Readback) -> LaunchedSamples:
        """Start drawing a token for each row; the states are not advanced.

        logits: raw, [n, v] of any float type, one row for each state; not changed. A row fails alone if its
        logits hold NaN or +inf, or if every token is excluded.
        """
        assert len(logits) == len(states)
        token_ids = torch.zeros(len(states), dtype=torch.int64, device=logits.device)
        is_drawn = torch.zeros(len(states), dtype=torch.bool, device=logits.device)
        is_finite = None
        for draw, is_adjusted, rows in self._groups(states, max_rows(logits)):
            index = _index(rows, logits.device)
            chosen, chosen_states = logits[index], [states[row] for row in rows]
            if is_adjusted:
                is_finite = torch.zeros_like(is_drawn) if is_finite is None else is_finite
                is_finite[index] = self._is_finite(chosen)
                chosen = chosen.to(torch.float32, copy=True)  # to be changed
                adjust_logits(chosen, chosen_states)
            token_ids[index], is_drawn[index] = draw(self._known(chosen), chosen_states)
        return LaunchedSamples(
            states,
            readback.want(token_ids),
            readback.want(is_drawn),
            None if is_finite is None else readback.want(is_finite),
            list(self._launch_logprobs(logits, states, token_ids, readback)),
        )

    @torch.inference_mode()
    def launch_candidates(
        self, logits: Tensor, states: Sequence[SamplingState], num_candidates: int, readback: Readback
    ) -> LaunchedCandidates:
        """Start finding the best tokens of each row and their log-probabilities, for beam search.

        logits: as in `launch`. There are fewer than `num_candidates` tokens if the request excludes the
        others. The states adjust the log-probabilities, not the logits, as transformers does in a beam
        search.
        """
        sums = log_sums(logits)
        raw = log_probabilities(logits, sums)
        scores = raw.clone() if any(state.adjusts_logits for state in states) else raw
        adjust_logits(scores, states)
        values, ids = top_tokens(self._known(scores), num_candidates)
        return LaunchedCandidates(
            states,
            readback.want(ids),
            readback.want(values),
            readback.want(raw.gather(1, ids)),
            readback.want(self._is_finite(raw)),
            RankedRows(
                self._known(logits), sums, [state.params.num_logprobs or 0 for state in states], readback
            ),
        )

    def _groups(
        self, states: Sequence[SamplingState], max_rows: int
    ) -> Iterator[tuple[Draw, bool, list[int]]]:
        """Yield groups of at most `max_rows` rows, with their draw and whether to adjust logits."""
        groups: dict[tuple[Draw, bool], list[int]] = {}
        for row, state in enumerate(states):
            draw: Draw = draw_greedy if state.params.is_greedy else draw_sampled
            groups.setdefault((draw, state.adjusts_logits), []).append(row)
        for (draw, is_adjusted), rows in groups.items():
            for start in range(0, len(rows), max_rows):
                yield draw, is_adjusted, rows[start : start + max_rows]

    def _known(self, values: Tensor) -> Tensor:
        """Return the values [n, v] without the ids that the tokenizer does not have: [n, at most v]."""
        values = values[:, : self._num_ids]
        if len(self._gaps):
            if self._gaps.device != values.device:
                self._gaps = send(self._gaps, values.device)
            values = values.index_fill(1, self._gaps, -torch.inf)
        return values

    def _is_finite(self, raw: Tensor) -> Tensor:
        """Return whether the highest value of each row [n, v] is finite: [n] bool."""
        return best_tokens(self._known(raw))[0].isfinite()

    def _launch_logprobs(
        self, logits: Tensor, states: Sequence[SamplingState], token_ids: Tensor, readback: Readback
    ) -> Iterator[LaunchedLogprobs]:
        wanted = [row for row, state in enumerate(states) if state.params.num_logprobs is not None]
        step = max_rows(logits)
        for start in range(0, len(wanted), step):
            rows = wanted[start : start + step]
            named = [states[row].params.logprob_token_ids for row in rows]
            counts = [
                0 if ids else states[row].params.num_logprobs or 0
                for row, ids in zip(rows, named, strict=True)
            ]
            index = _index(rows, logits.device)
            measured = _measured(logits[index], [states[row] for row in rows])
            sums = log_sums(measured)
            drawn = measured.gather(1, token_ids[index].unsqueeze(1))
            yield LaunchedLogprobs(
                rows,
                readback.want(log_probabilities(drawn, sums).squeeze(1)),
                RankedRows(self._known(measured), sums, counts, readback),
                NamedRows(measured, sums, named, readback),
            )


def _index(rows: Sequence[int], device: torch.device) -> slice | Tensor:
    """Return an index of these rows, which ascend; a slice if they are adjacent, which copies nothing."""
    if rows[-1] - rows[0] == len(rows) - 1:
        return slice(rows[0], rows[-1] + 1)
    return upload(rows, device)


def _measured(logits: Tensor, states: Sequence[SamplingState]) -> Tensor:
    """Return the logits of which log-probabilities are taken: raw, or adjusted where that is asked for."""
    adjusted = [row for row, state in enumerate(states) if state.params.adjusted_logprobs]
    if adjusted:
        logits = logits.to(torch.float32, copy=True)
        index = _index(adjusted, logits.device)
        chosen = logits[index]
        adjust_logits(chosen, [states[row] for row in adjusted])
        logits[index] = chosen
    return logits


def _candidates(
    ids: list[int],
    scores: list[float],
    logprobs: list[float],
    ranked: tuple[TokenLogprob, ...],
    *,
    state: SamplingState,
) -> list[Candidate]:
    has_logprobs = state.params.num_logprobs is not None
    return [
        Candidate(token_id, score, logprob if has_logprobs else None, ranked)
        for token_id, score, logprob in zip(ids, scores, logprobs, strict=True)
        if score > -math.inf
    ]


def _why_none(state: SamplingState, *, is_finite: bool) -> GenerationFailed:
    """Return the error of a row without a token. is_finite: whether its raw maximum is finite."""
    if (grammar := state.grammar_mask) is not None and grammar.is_too_slow:
        return NoTokenLeft("the grammar takes too long to follow")
    if not is_finite:
        return NotFinite("no token can be drawn: the logits are not finite")
    return NoTokenLeft("no token can be drawn: the request excludes every token")
