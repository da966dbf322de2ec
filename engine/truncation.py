"""Which tokens may be drawn: top-k, top-p, typical and min-p.

All work on weights, unnormalised probabilities: a filter sets those of the tokens it drops to 0, and the next
one sees what is left as a distribution of its own.

* top-p (Holtzman et al. 2020, arXiv 1904.09751): the smallest set of most likely tokens whose mass reaches p.
* typical (Meister et al. 2023, arXiv 2202.00666): the smallest set of tokens whose surprisal is nearest to
  the distribution's entropy and whose mass reaches p.
* min-p (Nguyen et al. 2024, arXiv 2407.01082): tokens at least min_p times as likely as the most likely one.

Tokens of equal rank are taken in the order in which they stand. At least one token stays.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from engine.request import SamplingParams

# Rows up to this wide are sorted, all at once. A full vocabulary takes 19 ms a row to sort on a CPU, so
# there only the tokens around the threshold are (0.5 ms).
_MAX_SORTED_WIDTH = 4096

# float32 >> 16 keeps sign, exponent and 7 bits of mantissa: an order-preserving bucket of non-negative
# floats.
_BUCKET_SHIFT = 16
_NUM_BUCKETS = 0x7F80 + 1

Order = Callable[[Tensor], Tensor]


def truncate(weights: Tensor, params: Sequence[SamplingParams]) -> Tensor:
    """Applies top_p, typical_p and min_p, in this order, to the rows that ask for them.

    weights: [n, m] float32, >= 0, each row's sum positive. Returns [n, m]; the argument may be changed.
    """
    weights = _keep_masses(weights, [p.top_p for p in params], _surprisal)
    return _truncate_after_top_p(weights, params)


def truncate_prefix(probabilities: Tensor, params: Sequence[SamplingParams]) -> Tensor:
    """As `truncate`, where the most likely tokens' probabilities [n, m] are known, descending, and each row's
    sum reaches its top_p."""
    top_p = torch.tensor([p.top_p for p in params], dtype=torch.float64, device=probabilities.device)
    is_kept = _reaches(probabilities, top_p)
    return _truncate_after_top_p(probabilities.masked_fill(~is_kept, 0), params)


def _truncate_after_top_p(weights: Tensor, params: Sequence[SamplingParams]) -> Tensor:
    weights = _keep_masses(weights, [p.typical_p for p in params], _atypicality)
    shares = [p.min_p for p in params]
    if any(shares):
        floor = torch.tensor(shares, dtype=torch.float32, device=weights.device).unsqueeze(1)
        weights = weights.masked_fill_(weights < floor * weights.amax(dim=-1, keepdim=True), 0)
    return weights


def _reaches(ranked: Tensor, mass: Tensor) -> Tensor:
    """Which of the first tokens in each row are needed to reach the mass: [n, m], [n] float64 -> [n, m]
    bool."""
    ranked = ranked.double()
    is_kept = ranked.cumsum(dim=-1) - ranked < mass.unsqueeze(1)
    is_kept[:, 0] = True
    return is_kept


def _surprisal(weights: Tensor) -> Tensor:
    """Up to a constant of the row; infinite where the weight is 0."""
    return -weights.log()


def _atypicality(weights: Tensor) -> Tensor:
    """How far each token's surprisal is from the entropy: [n, m] -> [n, m], infinite where the weight is
    0."""
    probabilities = weights / weights.sum(dim=-1, keepdim=True)
    surprisal = -probabilities.log()
    entropy = torch.special.entr(probabilities).sum(dim=-1, keepdim=True)
    atypicality: Tensor = (surprisal - entropy).abs()
    return atypicality


def _keep_masses(weights: Tensor, masses: Sequence[float], order: Order) -> Tensor:
    """Keeps in each row the smallest set of tokens, taken by ascending `order`, whose share of the mass
    reaches the row's; rows with a mass of 1 keep all."""
    rows = [row for row, mass in enumerate(masses) if mass < 1]
    if not rows:
        return weights
    index = torch.tensor(rows, device=weights.device)
    chosen = weights[index]
    mass = torch.tensor([masses[row] for row in rows], dtype=torch.float64, device=weights.device)
    is_kept = _smallest_sets(order(chosen), chosen, mass)
    weights[index] = chosen.masked_fill_(~is_kept, 0)
    return weights


def _smallest_sets(order: Tensor, weights: Tensor, mass: Tensor) -> Tensor:
    """order, weights: [n, m]; mass: [n] float64. Returns whether each is kept: [n, m] bool."""
    if weights.shape[1] <= _MAX_SORTED_WIDTH or weights.is_cuda:
        return _smallest_sets_sorted(order, weights, mass * weights.sum(dim=-1, dtype=torch.float64))
    rows = zip(order, weights, mass, strict=True)
    return torch.stack([_smallest_set_bucketed(*row) for row in rows])


def _smallest_sets_sorted(order: Tensor, weights: Tensor, mass: Tensor) -> Tensor:
    """As `_smallest_sets`, but `mass` counts in units of the weights."""
    ranks = order.argsort(dim=-1, stable=True)
    is_kept = _reaches(weights.gather(1, ranks), mass)
    return torch.zeros_like(is_kept).scatter_(1, ranks, is_kept)


def _smallest_set_bucketed(order: Tensor, weights: Tensor, mass: Tensor) -> Tensor:
    """One row, [m]: finds the bucket in which the mass is reached, and sorts that one alone."""
    buckets = (order - order.min()).view(torch.int32) >> _BUCKET_SHIFT
    bucket_masses = torch.bincount(buckets, weights=weights.double(), minlength=_NUM_BUCKETS)
    mass_up_to = bucket_masses.cumsum(0)
    wanted = mass * mass_up_to[-1]
    threshold = int(torch.searchsorted(mass_up_to, wanted).clamp_(max=int(buckets.max())))
    is_kept = buckets < threshold
    members = (buckets == threshold).nonzero().squeeze(1)
    wanted = wanted - (mass_up_to[threshold] - bucket_masses[threshold])
    in_bucket = _smallest_sets_sorted(order[members][None], weights[members][None], wanted[None])
    is_kept[members] = in_bucket.squeeze(0)
    return is_kept
