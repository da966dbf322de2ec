"""Draws the next token of each sequence from its logits."""

from collections.abc import Callable, Sequence

import msgspec
import torch
from torch import Tensor

from engine.draw import draw_greedy, draw_top_k, draw_vocabulary
from engine.errors import GenerationFailed
from engine.events import TokenLogprob
from engine.logits import adjust_logits
from engine.logprobs import log_probabilities, rank_logprobs
from engine.sampling_state import SamplingState
from engine.tokenizer import Tokenizer

__all__ = ["Sampled", "Sampler", "SamplingState"]

# Rows of logits [n, v] float32, which it may change, and their states -> ids [n], and whether each was drawn
# [n].
Draw = Callable[[Tensor, Sequence[SamplingState]], tuple[Tensor, Tensor]]


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
        for (draw, is_adjusted), rows in self._group(states).items():
            index = torch.tensor(rows, device=logits.device)
            # Selecting copies, so that only what is to be changed, or is not the whole batch, is selected.
            chosen = logits if len(rows) == len(states) and draw is draw_greedy else logits[index]
            chosen_states = [states[row] for row in rows]
            if is_adjusted:
                chosen = chosen.to(torch.float32, copy=chosen is logits)
                adjust_logits(chosen, chosen_states)
            token_ids[index], is_drawn[index] = draw(self._known(chosen), chosen_states)
        return self._report(logits, states, token_ids, is_drawn.tolist())

    def _group(self, states: Sequence[SamplingState]) -> dict[tuple[Draw, bool], list[int]]:
        """The rows by what they need."""
        groups: dict[tuple[Draw, bool], list[int]] = {}
        for row, state in enumerate(states):
            groups.setdefault((self._draw_for(state), state.adjusts_logits), []).append(row)
        return groups

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
            Sampled(token_id) if drawn else GenerationFailed(_WHY_NONE)
            for token_id, drawn in zip(token_ids.tolist(), is_drawn, strict=True)
        ]
        wanted = [
            (row, num_logprobs)
            for row, state in enumerate(states)
            if is_drawn[row] and (num_logprobs := state.params.num_logprobs) is not None
        ]
        if wanted:
            index = torch.tensor([row for row, _ in wanted], device=logits.device)
            logprobs = log_probabilities(logits[index])
            of_tokens = logprobs.gather(1, token_ids[index, None]).squeeze(1).tolist()
            ranked = rank_logprobs(self._known(logprobs), [count for _, count in wanted], self._tokenizer)
            for (row, _), logprob, top in zip(wanted, of_tokens, ranked, strict=True):
                results[row] = Sampled(int(token_ids[row]), logprob, top)
        return results


_WHY_NONE = "no token can be drawn: the logits are not finite, or the request excludes every token"
