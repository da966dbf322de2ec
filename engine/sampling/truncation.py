"""The truncation of distributions: top-p, typical and min-p.

Each filter takes weights, which are unnormalised probabilities, and sets those of the tokens it drops to 0.
The next filter treats the rest as a distribution of its own.

* top-p (Holtzman et al. 2020, arXiv 1904.09751): the smallest set of most likely tokens whose mass reaches p.
* typical (Meister et al. 2023, arXiv 2202.00666): the smallest set of tokens whose surprisal is nearest to
  the distribution's entropy and whose mass reaches p.
* min-p (Nguyen et al. 2024, arXiv 2407.01082): tokens at least min_p times as likely as the most likely one.

Tokens of equal rank are taken in the order in which they stand. At least one token stays.

Ranks are int32 keys, ascending: a non-negative float's bits, read as an integer, have the order of the float.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from engine.host.transfers import upload
from engine.port.request import SamplingParams
from engine.sampling.native_truncation import can_keep, keep_by_buckets
from engine.sampling.vocab_blocks import block_sums

_INFINITY_BITS = 0x7F800000  # of float32

Rank = Callable[[Tensor], Tensor]  # weights [n, m] float32 -> keys [n, m] int32


def truncate(weights: Tensor, params: Sequence[SamplingParams]) -> None:
    """Apply top_p, typical_p and min_p, in this order, to the rows whose parameters set them.

    weights: [n, m] float32, >= 0, each row's sum positive; changed in place.
    """
    _keep_masses(weights, [p.top_p for p in params], _by_weight)
    _truncate_after_top_p(weights, params)


def truncate_prefix(probabilities: Tensor, params: Sequence[SamplingParams]) -> None:
    """Apply the same filters to the most likely tokens of each row, whose sum reaches its top_p.

    probabilities: [n, m] float32, descending; changed in place.
    """
    top_p = upload([p.top_p for p in params], probabilities.device, torch.float64)
    probabilities.masked_fill_(~_needed(probabilities, top_p), 0)
    _truncate_after_top_p(probabilities, params)


def _truncate_after_top_p(weights: Tensor, params: Sequence[SamplingParams]) -> None:
    _keep_masses(weights, [p.typical_p for p in params], _by_typicality)
    if any(p.min_p for p in params):
        shares = upload([p.min_p for p in params], weights.device, torch.float32)
        floor = shares.unsqueeze(1) * weights.amax(dim=-1, keepdim=True)
        # The sign of a difference clears the bits; a mask of bools would take four times as long on a CPU.
        differences = (floor.view(torch.int32) - 1) - weights.view(torch.int32)
        weights.view(torch.int32).bitwise_and_(differences.bitwise_right_shift_(31))


def _by_weight(weights: Tensor) -> Tensor:
    """Return keys that rank tokens by descending weight."""
    return _INFINITY_BITS - weights.view(torch.int32)


def _by_typicality(weights: Tensor) -> Tensor:
    """Return keys that rank tokens by |surprisal - entropy|, which is largest for a weight of 0."""
    probabilities = weights / _sum(weights)
    logs = probabilities.log().clamp_(min=torch.finfo(torch.float32).min)
    entropy = -_sum(probabilities.mul_(logs))
    return logs.add_(entropy).abs_().view(torch.int32)


def _sum(values: Tensor) -> Tensor:
    """Return the sum of each row, [n, m] -> [n, 1].

    torch divides the sum of a single long row among its threads; the sums of blocks do not depend on that.
    """
    return block_sums(values, 256).sum(dim=-1, keepdim=True)


def _keep_masses(weights: Tensor, masses: Sequence[float], rank: Rank) -> None:
    """Keep the smallest set of tokens in each row, by ascending rank, that reaches its share of the mass.

    Rows with a mass of 1 keep all tokens.
    """
    rows = [row for row, mass in enumerate(masses) if mass < 1]
    if not rows:
        return
    index = slice(None) if len(rows) == len(masses) else upload(rows, weights.device)
    chosen = weights[index]
    wanted = upload([masses[row] for row in rows], weights.device, torch.float64)
    wanted *= chosen.sum(dim=-1, dtype=torch.float64)
    keep = keep_by_buckets if can_keep(chosen) else keep_by_sorting
    keep(chosen, rank(chosen), wanted)
    weights[index] = chosen


def keep_by_sorting(weights: Tensor, keys: Tensor, wanted: Tensor) -> None:
    """Set the weights that do not serve to reach the wanted masses to 0, on any device.

    weights: [n, m] float32, changed in place. keys: [n, m] int32. wanted: [n] float64.
    """
    ranks = keys.argsort(dim=-1, stable=True)
    is_needed = _needed(weights.gather(1, ranks), wanted)
    weights.masked_fill_(torch.ones_like(is_needed).scatter_(1, ranks, ~is_needed), 0)


def _needed(ranked: Tensor, mass: Tensor) -> Tensor:
    """Return which of the first weights in each row are needed to reach the mass, [n, m] bool.

    ranked: [n, m]. mass: [n] float64.
    """
    ranked = ranked.double()
    is_needed = ranked.cumsum(dim=-1) - ranked < mass.unsqueeze(1)
    is_needed[:, 0] = True
    return is_needed
