"""Draw one token of each row: the best one, or one at random.

An exponential race: argmax(w / E) is i with probability w_i / sum(w) where E are independent draws of Exp(1),
which is Gumbel-max. A token's E depends only on the row's key and the token, so the draw does not depend on
the batch.

A draw takes logits [n, v] and the states of the n rows. It returns the token ids [n] int64, and whether a
token could be drawn [n] bool: false for a row whose best logit is NaN or infinite.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from engine.host.transfers import upload
from engine.port.request import SamplingParams
from engine.sampling.native_draw import draw_rows
from engine.sampling.native_ranking import can_rank
from engine.sampling.noise import FIRST_BLOCK_COUNTER, exponential_noise, key_tensor
from engine.sampling.ranking import best_tokens
from engine.sampling.state import SamplingState
from engine.sampling.truncation import keep_best, truncate
from engine.sampling.vocab_blocks import block_members, block_sums

# Below this, logits divided by the temperature could overflow; at it, the best token is as good as certain to
# be drawn unless another logit is within about 10^-5 of its own.
_MIN_TEMPERATURE = 1e-6
# Above this, its inverse could become 0 in float32, and the -inf of an excluded token times 0 is NaN.
_MAX_TEMPERATURE = 1e30

# Near the square root of a vocabulary, so that both exponential races of a row have about the same length.
_BLOCK_SIZE = 256


def draw_greedy(logits: Tensor, states: Sequence[SamplingState]) -> tuple[Tensor, Tensor]:
    """Draw the best token of each row; of equals, the one with the lowest id."""
    values, ids = best_tokens(logits)
    return ids, values.isfinite()


def draw_sampled(logits: Tensor, states: Sequence[SamplingState]) -> tuple[Tensor, Tensor]:
    """Draw among the tokens of each row that top_k, top_p, typical_p and min_p leave."""
    params = [state.params for state in states]
    inverse = [1 / min(max(row.temperature, _MIN_TEMPERATURE), _MAX_TEMPERATURE) for row in params]
    keys = key_tensor([state.noise_key for state in states], logits.device)
    draw = draw_rows if can_rank(logits) else draw_by_torch
    values, ids = draw(logits, inverse, params, keys)
    return ids, values.isfinite()


def draw_by_torch(
    logits: Tensor, inverse_temperatures: Sequence[float], params: Sequence[SamplingParams], keys: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the largest logit of each row [n] float32, and the drawn ids [n], on any device.

    keys: [n, 2] int32, of the noise. Rows that cannot be drawn get equal weights, so that no NaN goes on.
    """
    best, _ = best_tokens(logits)
    scaled = logits.float() - best.unsqueeze(1)
    keep_best(scaled, params)
    scaled *= upload(inverse_temperatures, logits.device, torch.float32).unsqueeze(1)
    weights = scaled.exp_().masked_fill_(~best.isfinite().unsqueeze(1), 1.0)
    truncate(weights, params)
    return best, _race_in_blocks(weights, keys)


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
