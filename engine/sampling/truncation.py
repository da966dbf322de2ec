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

from engine.host.transfers import is_on_host, upload
from engine.port.request import SamplingParams

# Rows up to this width are sorted together. A full vocabulary takes 19 ms per row to sort on a CPU, so there
# only the tokens around the threshold are sorted (0.4 ms).
_MAX_SORTED_WIDTH = 4096

_INFINITY_BITS = 0x7F800000  # of float32
_BUCKET_SHIFT = 16  # leaves the exponent and 7 bits of the mantissa
_NUM_BUCKETS = (_INFINITY_BITS >> _BUCKET_SHIFT) + 1

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
        _keep_below(weights, _by_weight(weights), _by_weight(floor) + 1)


def _by_weight(weights: Tensor) -> Tensor:
    """Return keys that rank tokens by descending weight."""
    return _INFINITY_BITS - weights.view(torch.int32)


def _by_typicality(weights: Tensor) -> Tensor:
    """Return keys that rank tokens by |surprisal - entropy|, which is infinite for a weight of 0."""
    probabilities = weights / weights.sum(dim=-1, keepdim=True)
    entropy = torch.special.entr(probabilities).sum(dim=-1, keepdim=True)
    return probabilities.log_().add_(entropy).abs_().view(torch.int32)


def _keep_masses(weights: Tensor, masses: Sequence[float], rank: Rank) -> None:
    """Keep the smallest set of tokens in each row, by ascending rank, that reaches its share of the mass.

    Rows with a mass of 1 keep all tokens.
    """
    rows = [row for row, mass in enumerate(masses) if mass < 1]
    if weights.shape[1] <= _MAX_SORTED_WIDTH or not is_on_host(weights):
        _keep_masses_sorted(weights, rows, masses, rank)
    else:
        for row in rows:
            _keep_mass_bucketed(weights[row], masses[row], rank)


def _keep_masses_sorted(weights: Tensor, rows: Sequence[int], masses: Sequence[float], rank: Rank) -> None:
    if not rows:
        return
    index = upload(rows, weights.device)
    chosen = weights[index]
    mass = upload([masses[row] for row in rows], weights.device, torch.float64)
    ranks = rank(chosen).argsort(dim=-1, stable=True)
    is_needed = _needed(chosen.gather(1, ranks), mass * chosen.sum(dim=-1, dtype=torch.float64))
    is_kept = torch.zeros_like(is_needed).scatter_(1, ranks, is_needed)
    weights[index] = chosen.masked_fill_(~is_kept, 0)


def _needed(ranked: Tensor, mass: Tensor) -> Tensor:
    """Return which of the first weights in each row are needed to reach the mass, [n, m] bool.

    ranked: [n, m]. mass: [n] float64.
    """
    ranked = ranked.double()
    is_needed = ranked.cumsum(dim=-1) - ranked < mass.unsqueeze(1)
    is_needed[:, 0] = True
    return is_needed


def _keep_mass_bucketed(weights: Tensor, mass: float, rank: Rank) -> None:
    """Truncate one row [m] on the host, sorting only the bucket of ranks in which the mass is reached."""
    keys = rank(weights)
    buckets = keys >> _BUCKET_SHIFT
    bucket_masses = torch.bincount(buckets, weights=weights.double(), minlength=_NUM_BUCKETS)
    mass_up_to = bucket_masses.cumsum(0)
    wanted = mass * mass_up_to[-1]
    first, last = buckets.aminmax()  # a mass of 0 would end before the first, rounding after the last
    threshold = int(torch.searchsorted(mass_up_to, wanted).clamp(first, last))
    members = (buckets == threshold).nonzero().squeeze(1)
    members = members[keys[members].argsort(stable=True)]
    member_weights = weights[members]
    wanted = wanted - (mass_up_to[threshold] - bucket_masses[threshold])
    is_needed = _needed(member_weights.unsqueeze(0), wanted.unsqueeze(0)).squeeze(0)
    _keep_below(weights, buckets, torch.tensor(threshold, dtype=torch.int32))
    weights[members] = member_weights.masked_fill_(~is_needed, 0)


def _keep_below(weights: Tensor, keys: Tensor, bound: Tensor) -> None:
    """Set the weights whose key is not below the bound to 0, by the sign of the difference.

    A mask of bools would take four times as long on a CPU.
    """
    weights.view(torch.int32).bitwise_and_((keys - bound) >> 31)
