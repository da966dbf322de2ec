"""Draws the next token of each sequence from its logits."""

import math
from collections.abc import Callable, Iterator, Sequence

import msgspec
import torch
from torch import Tensor

from engine.errors import GenerationFailed, NotFinite, NoTokenLeft
from engine.events import TokenLogprob
from engine.sampling.beam_search import Candidate
from engine.sampling.draw import draw_greedy, draw_top_k, draw_vocabulary
from engine.sampling.logits.processors import adjust_logits
from engine.sampling.logprobs import log_probabilities, rank_logprobs
from engine.sampling.ranking import top_tokens
from engine.sampling.state import SamplingState
from engine.text.tokenizer import Tokenizer

__all__ = ["Sampled", "Sampler", "SamplingState"]

# Rows of logits [n, v] float32, which it may change, and their states -> ids [n], and whether each was drawn
# [n].
Draw = Callable[[Tensor, Sequence[SamplingState]], tuple[Tensor, Tensor]]

# Logits taken at once on a CPU: the copies of 8 rows of 151,936 fit its caches, those of 32 take twice the
# time a row.
_MAX_LOGITS = 8 * 151_936


class Sampled(msgspec.Struct, frozen=True):
    """The token drawn for one row; log-probabilities as in `TokenEvent`."""

    token_id: int
    logprob: float | None = None
    top_logprobs: tuple[TokenLogprob, ...] = ()


class Sampler:
    """Draws for a whole batch; rows that need the same steps take them together, and no others.

    A greedy row that nothing adjusts costs an argmax. A row's token depends on its logits and its state, not
    on the batch.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._num_ids = max(tokenizer.known_ids) + 1  # the model's logits from here on stand for no token
        self._gaps = torch.tensor(sorted(set(range(self._num_ids)) - tokenizer.known_ids), dtype=torch.int64)

    @torch.inference_mode()
    def sample(self, logits: Tensor, states: Sequence[SamplingState]) -> list[Sampled | GenerationFailed]:
        """One token for each row, or why there is none; the states are not advanced.

        logits: [n, v] of any float type, raw, of n states; left as they are. A row fails alone, if its logits
        hold NaN or +inf, or if every token is excluded.
        """
        assert len(logits) == len(states)
        token_ids = torch.zeros(len(states), dtype=torch.int64, device=logits.device)
        is_drawn = torch.zeros(len(states), dtype=torch.bool, device=logits.device)
        for draw, is_adjusted, rows in self._groups(states, _max_rows(logits)):
            chosen, chosen_states = logits[_index(rows)], [states[row] for row in rows]
            if is_adjusted or draw is not draw_greedy:
                chosen = chosen.to(torch.float32, copy=True)  # to be changed
            if is_adjusted:
                adjust_logits(chosen, chosen_states)
            token_ids[_index(rows)], is_drawn[_index(rows)] = draw(self._known(chosen), chosen_states)
        return self._report(logits, states, token_ids, is_drawn.tolist())

    @torch.inference_mode()
    def candidates(
        self, logits: Tensor, states: Sequence[SamplingState], num_candidates: int
    ) -> list[list[Candidate] | GenerationFailed]:
        """For beam search: the best tokens of each row and their log-probabilities, best first.

        logits: as of `sample`. Fewer than `num_candidates` where the request excludes the others. The states
        adjust the log-probabilities, not the logits, as transformers does in a beam search.
        """
        raw = log_probabilities(logits)
        scores = raw.clone() if any(state.adjusts_logits for state in states) else raw
        adjust_logits(scores, states)
        values, ids = top_tokens(self._known(scores), num_candidates)
        logprobs = raw.gather(1, ids).tolist()
        counts = [state.params.num_logprobs or 0 for state in states]
        ranked = (
            rank_logprobs(self._known(raw), counts, self._tokenizer) if any(counts) else [()] * len(states)
        )
        return [
            _candidates(*fields, state=state)
            if math.isfinite(best)
            else _why_none(self._known(raw[row : row + 1]), state)
            for row, (state, best, *fields) in enumerate(
                zip(
                    states,
                    values[:, 0].tolist(),
                    ids.tolist(),
                    values.tolist(),
                    logprobs,
                    ranked,
                    strict=True,
                )
            )
        ]

    def _groups(
        self, states: Sequence[SamplingState], max_rows: int
    ) -> Iterator[tuple[Draw, bool, list[int]]]:
        """The rows by what they need, at most `max_rows` at once: how to draw, and whether to adjust
        before."""
        groups: dict[tuple[Draw, bool], list[int]] = {}
        for row, state in enumerate(states):
            groups.setdefault((self._draw_for(state), state.adjusts_logits), []).append(row)
        for (draw, is_adjusted), rows in groups.items():
            for start in range(0, len(rows), max_rows):
                yield draw, is_adjusted, rows[start : start + max_rows]

    def _draw_for(self, state: SamplingState) -> Draw:
        top_k = state.params.top_k
        if state.params.is_greedy:
            return draw_greedy
        if top_k is None or top_k >= self._num_ids:
            return draw_vocabulary
        return draw_top_k

    def _known(self, values: Tensor) -> Tensor:
        """Without the ids that the tokenizer does not have: [n, v] -> [n, at most v]."""
        values = values[:, : self._num_ids]
        if len(self._gaps):
            values = values.index_fill(1, self._gaps.to(values.device), -torch.inf)
        return values

    def _report(
        self, logits: Tensor, states: Sequence[SamplingState], token_ids: Tensor, is_drawn: Sequence[bool]
    ) -> list[Sampled | GenerationFailed]:
        results: list[Sampled | GenerationFailed] = [
            Sampled(token_id) if drawn else _why_none(self._known(logits[row : row + 1]), states[row])
            for row, (token_id, drawn) in enumerate(zip(token_ids.tolist(), is_drawn, strict=True))
        ]
        wanted = [
            (row, num_logprobs)
            for row, state in enumerate(states)
            if is_drawn[row] and (num_logprobs := state.params.num_logprobs) is not None
        ]
        max_rows = _max_rows(logits)
        for start in range(0, len(wanted), max_rows):
            rows, counts = zip(*wanted[start : start + max_rows], strict=True)
            logprobs = log_probabilities(logits[_index(rows)])
            ids = token_ids[_index(rows)]
            of_tokens = logprobs.gather(1, ids.unsqueeze(1)).squeeze(1)
            ranked = rank_logprobs(self._known(logprobs), counts, self._tokenizer)
            for row, *fields in zip(rows, ids.tolist(), of_tokens.tolist(), ranked, strict=True):
                results[row] = Sampled(*fields)
        return results


def _max_rows(logits: Tensor) -> int:
    """How many of the rows [n, v] are taken at once."""
    return max(1, _MAX_LOGITS // logits.shape[1]) if logits.is_cpu else max(1, len(logits))


def _index(rows: Sequence[int]) -> slice | list[int]:
    """Rows in ascending order; neighbours as a slice, which copies nothing."""
    if rows[-1] - rows[0] == len(rows) - 1:
        return slice(rows[0], rows[-1] + 1)
    return list(rows)


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


def _why_none(raw: Tensor, state: SamplingState) -> GenerationFailed:
    """Why no token can be drawn. raw: [1, v] of the model's own, without unknown ids."""
    if state.grammar is not None and state.grammar.is_too_slow:
        return NoTokenLeft("the grammar takes too long to follow")
    if not math.isfinite(raw.max().item()):
        return NotFinite("no token can be drawn: the logits are not finite")
    return NoTokenLeft("no token can be drawn: the request excludes every token")
