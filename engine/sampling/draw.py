"""Draw one token of each row: greedily, among the k best, or from the whole vocabulary.

An exponential race: argmax(w / E) is i with probability w_i / sum(w) where E are independent draws of Exp(1),
which is Gumbel-max. A token's E depends on the row's key and the token alone, so the draw does not depend on
the batch.

A draw takes logits [n, v] float32, which it may change, and the states of the n rows. It returns the token
ids [n] int64, and whether a token could be drawn [n] bool: false for a row whose best logit is NaN or
infinite.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.host.transfers import is_on_host, upload
from engine.port.request import SamplingParams
from engine.sampling.noise import FIRST_BLOCK_COUNTER, exponential_noise, key_tensor
from engine.sampling.ranking import best_tokens, top_tokens
from engine.sampling.state import SamplingState
from engine.sampling.truncation import truncate, truncate_prefix
from engine.sampling.vocab_blocks import block_members, block_sums

# Below this, logits divided by the temperature could overflow; at it, the best token is as good as certain to
# be drawn unless another logit is within about 10^-5 of its own.
_MIN_TEMPERATURE = 1e-6
# Above this, its inverse could become 0 in float32, and the -inf of an excluded token times 0 is NaN.
_MAX_TEMPERATURE = 1e30

# Near the square root of a vocabulary, so that both exponential races of a row have about the same length.
_BLOCK_SIZE = 256

# The number of best tokens that top-p tries before it takes all: if the model is confident, these have the
# probability that top-p asks for.
_NUCLEUS_PREFIX = 128


def draw_greedy(logits: Tensor, states: Sequence[SamplingState]) -> tuple[Tensor, Tensor]:
    """Draw the best token of each row; of equals, the one with the lowest id."""
    values, ids = best_tokens(logits)
    return ids, values.isfinite()


def draw_top_k(logits: Tensor, states: Sequence[SamplingState]) -> tuple[Tensor, Tensor]:
    """Draw among the `top_k` best tokens of each row; of equals at the limit, those with the lowest ids."""
    num_kept = [state.params.top_k or 0 for state in states]
    values, ids = top_tokens(logits, max(num_kept))
    top_k = upload(num_kept, logits.device)
    is_drawn = values[:, 0].isfinite()
    excluded = torch.arange(values.shape[1], device=logits.device) >= top_k.unsqueeze(1)
    weights = _weights(values.masked_fill_(excluded, -torch.inf), is_drawn, states)
    truncate(weights, [state.params for state in states])
    return _race(weights, ids, _keys(states, logits.device)), is_drawn


def draw_vocabulary(logits: Tensor, states: Sequence[SamplingState]) -> tuple[Tensor, Tensor]:
    """Draw among all tokens that top_p, typical_p and min_p leave."""
    is_drawn = best_tokens(logits)[0].isfinite()
    weights = _weights(logits, is_drawn, states)
    keys = _keys(states, logits.device)
    params = [state.params for state in states]
    draw = _draw_on_host if is_on_host(weights) else _draw_on_device
    return draw(weights, keys, params), is_drawn


def _draw_on_host(weights: Tensor, keys: Tensor, params: Sequence[SamplingParams]) -> Tensor:
    """Draw on the host. weights: [n, v], summing to 1; may be changed. keys: [n, 2]. Returns ids [n]."""
    ids = torch.empty(len(params), dtype=torch.int64)
    short = _draw_short_nuclei(ids, weights, keys, params)
    rest = [row for row in range(len(params)) if row not in short]
    if rest:
        chosen = weights if len(rest) == len(params) else weights[rest]
        truncate(chosen, [params[row] for row in rest])
        ids[rest] = _race_in_blocks(chosen, keys[rest])
    return ids


def _draw_on_device(weights: Tensor, keys: Tensor, params: Sequence[SamplingParams]) -> Tensor:
    """Draw on a GPU, with the same arguments and results as `_draw_on_host`.

    Only the device knows which nuclei are short, and the host does not wait for it: rows with a top_p are
    drawn both ways.
    """
    nucleus = [row for row, row_params in enumerate(params) if row_params.top_p < 1]
    if not nucleus:
        truncate(weights, params)
        return _race_in_blocks(weights, keys)
    rows = upload(nucleus, weights.device)
    best, best_ids, is_short = _nuclei(weights[rows], [params[row] for row in nucleus])
    truncate_prefix(best, [params[row] for row in nucleus])
    short_ids = _race(best, best_ids, keys[rows])
    truncate(weights, params)
    ids = _race_in_blocks(weights, keys)
    ids[rows] = torch.where(is_short, short_ids, ids[rows])
    return ids


def _draw_short_nuclei(
    ids: Tensor, weights: Tensor, keys: Tensor, params: Sequence[SamplingParams]
) -> set[int]:
    """Draw the rows whose best few tokens have the probability of their top_p, and return these rows.

    ids: [n], to which the draws are written. weights: [n, v], summing to 1. keys: [n, 2].
    """
    nucleus = [row for row, row_params in enumerate(params) if row_params.top_p < 1]
    if not nucleus:
        return set()
    chosen = weights if len(nucleus) == len(params) else weights[nucleus]
    best, best_ids, is_short = _nuclei(chosen, [params[row] for row in nucleus])
    short = [row for row, reached in zip(nucleus, is_short.tolist(), strict=True) if reached]
    if short:
        best = best[is_short]
        truncate_prefix(best, [params[row] for row in short])
        ids[short] = _race(best, best_ids[is_short], keys[short])
    return set(short)


def _nuclei(weights: Tensor, params: Sequence[SamplingParams]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the best weights [n, m] of each row [n, v], their ids, and whether they reach its top_p [n]."""
    best, best_ids = top_tokens(weights, _NUCLEUS_PREFIX)
    top_p = upload([row.top_p for row in params], weights.device, torch.float64)
    return best, best_ids, best.sum(dim=-1, dtype=torch.float64) >= top_p


def _weights(logits: Tensor, is_drawn: Tensor, states: Sequence[SamplingState]) -> Tensor:
    """Return the softmax of logits divided by the temperature, [n, m].

    Rows that cannot be drawn get equal weights, so that no NaN goes on.
    """
    inverse = [1 / min(max(state.params.temperature, _MIN_TEMPERATURE), _MAX_TEMPERATURE) for state in states]
    if any(factor != 1 for factor in inverse):
        logits.mul_(upload(inverse, logits.device, torch.float32).unsqueeze(1))
    weights = torch.softmax(logits, dim=-1, dtype=torch.float32)
    if not is_on_host(is_drawn) or not is_drawn.all():
        weights.masked_fill_(~is_drawn.unsqueeze(1), 1 / weights.shape[1])
    return weights


def _keys(states: Sequence[SamplingState], device: torch.device) -> Tensor:
    return key_tensor([state.noise_key for state in states], device)


def _race(weights: Tensor, token_ids: Tensor, keys: Tensor) -> Tensor:
    """Draw a token of each row by an exponential race, and return the ids [n] int64.

    weights: [n, m] float32, unnormalised. token_ids: [n, m] int64. keys: [n, 2].
    """
    winner = (weights / exponential_noise(keys, token_ids)).argmax(dim=-1, keepdim=True)
    return token_ids.gather(1, winner).squeeze(1)


def _race_in_blocks(weights: Tensor, keys: Tensor) -> Tensor:
    """Draw a token of each row from the whole vocabulary, by two races. weights: [n, v].

    Noise for every token would cost more than the rest of sampling. So first a block of consecutive tokens is
    drawn by its weight, with noise for the number of the block, then a token in it. This is equally exact,
    and takes about 850 random numbers for a vocabulary of 151,936.
    """
    num_blocks = -(-weights.shape[1] // _BLOCK_SIZE)
    blocks = torch.arange(num_blocks, device=weights.device).expand(len(weights), -1)
    block = _race(block_sums(weights, _BLOCK_SIZE), blocks + FIRST_BLOCK_COUNTER, keys) - FIRST_BLOCK_COUNTER
    members, ids = block_members(weights, block.unsqueeze(1), _BLOCK_SIZE, fill=0.0)
    return _race(members, ids, keys)
