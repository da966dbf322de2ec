"""The logits processors, which run before the temperature, in the order that SamplingParams states.

Each function changes float32 logits [n, v] in place and touches only the rows and tokens concerned.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.host.transfers import upload
from engine.sampling.logits.grammar_mask import apply_grammar
from engine.sampling.logits.watermark import green_mask
from engine.sampling.state import SamplingState

_LARGEST = 1e30  # it stays finite when penalties are subtracted and the temperature is applied


def adjust_logits(logits: Tensor, states: Sequence[SamplingState]) -> None:
    """Apply all processors. logits: [n, v] float32, contiguous, one row for each state; changed in place."""
    add_watermark(logits, states)
    add_bias(logits, states)
    apply_penalties(logits, states)
    forbid_ending(logits, states)
    filter_tokens(logits, states)
    filter_timestamps(logits, states)
    apply_grammars(logits, states)
    close_thoughts(logits, states)


def add_watermark(logits: Tensor, states: Sequence[SamplingState]) -> None:
    for row, state in zip(logits, states, strict=True):
        if (watermark := state.params.watermark) is not None:
            green = green_mask(state.previous_token_id, len(row), watermark.gamma, device=row.device)
            row.add_(green, alpha=watermark.delta)


def add_bias(logits: Tensor, states: Sequence[SamplingState]) -> None:
    biased = [(row, state) for row, state in enumerate(states) if len(state.bias_ids)]
    if biased:
        index = _flat_index(logits, [(row, state.bias_ids) for row, state in biased])
        logits.view(-1)[index] += torch.cat([state.bias for _, state in biased])


def apply_penalties(logits: Tensor, states: Sequence[SamplingState]) -> None:
    """Apply the repetition penalty, then presence and frequency, to the tokens that each sequence has."""
    penalised = [
        (row, state.params, state.token_counts)
        for row, state in enumerate(states)
        if state.token_counts is not None
    ]
    if not penalised:
        return
    index = _flat_index(logits, [(row, held.ids) for row, _, held in penalised])
    lengths = [len(held.ids) for *_, held in penalised]
    per_row = [
        [min(p.repetition_penalty, _LARGEST), p.presence_penalty, p.frequency_penalty]
        for _, p, _ in penalised
    ]
    repetition, presence, frequency = (
        upload(per_row, logits.device, torch.float32)
        .repeat_interleave(upload(lengths, logits.device), 0, output_size=sum(lengths))
        .T
    )
    counts = torch.cat([held.counts for *_, held in penalised])
    values = logits.view(-1)[index]
    # A penalty near 0 or near the largest float would make infinities, among which no token can be drawn.
    values = torch.where(values > 0, values / repetition, values * repetition).clamp(-_LARGEST, _LARGEST)
    logits.view(-1)[index] = values - presence * (counts > 0) - frequency * counts


def forbid_ending(logits: Tensor, states: Sequence[SamplingState]) -> None:
    forbidden = [(row, ids) for row, state in enumerate(states) if (ids := state.forbidden_ids) is not None]
    if forbidden:
        logits.view(-1)[_flat_index(logits, forbidden)] = -torch.inf


def filter_tokens(logits: Tensor, states: Sequence[SamplingState]) -> None:
    for row, state in zip(logits, states, strict=True):
        if state.token_filter is not None:
            state.token_filter.apply(row)


def filter_timestamps(logits: Tensor, states: Sequence[SamplingState]) -> None:
    for row, state in zip(logits, states, strict=True):
        if state.timestamps is not None:
            state.timestamps.apply(row)


def apply_grammars(logits: Tensor, states: Sequence[SamplingState]) -> None:
    for row, state in zip(logits, states, strict=True):
        if (grammar := state.grammar_mask) is not None:
            apply_grammar(row, grammar)


def close_thoughts(logits: Tensor, states: Sequence[SamplingState]) -> None:
    """Leave only the next token of the closing where a thinking budget is spent, and no other thought."""
    for row, state in zip(logits, states, strict=True):
        if state.thoughts is None:
            continue
        if (forced_id := state.thoughts.forced_id) is not None:
            # A request that excludes the token is forced all the same; a row that is not finite still fails.
            logit = row[forced_id].nan_to_num(nan=torch.nan, posinf=torch.inf, neginf=0.0)
            row.fill_(-torch.inf)
            row[forced_id] = logit
        elif (excluded_id := state.thoughts.excluded_id) is not None:
            row[excluded_id] = -torch.inf


def _flat_index(logits: Tensor, entries: Sequence[tuple[int, Tensor]]) -> Tensor:
    """Return the indices of some rows' ids in the flattened logits: [sum of m] int64."""
    return torch.cat([ids + row * logits.shape[1] for row, ids in entries])
