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
from engine.sampling.ranking import top_tokens
from engine.sampling.vocab_blocks import row_sums

_INFINITY_BITS = 0x7F800000  # of float32

Rank = Callable[[Tensor], Tensor]  # weights [n, m] float32 -> keys [n, m] int32


def keep_best(logits: Tensor, params: Sequence[SamplingParams]) -> None:
    """Set the logits of each row, [n, v] float32, that are not among its `top_k` best to -inf, in place.

    Of equal ones at the limit, those with the lowest ids stay.
    """
    limits = [
        (row, p.top_k) for row, p in enumerate(params) if p.top_k is not None and p.top_k < logits.shape[1]
    ]
    if not limits:
        return
    rows = upload([row for row, _ in limits], logits.device)
    top_k = upload([k for _, k in limits], logits.device)
    chosen = logits[rows]
    values, ids = top_tokens(chosen, max(k for _, k in limits))
    values.masked_fill_(torch.arange(values.shape[1], device=rows.device) >= top_k.unsqueeze(1), -torch.inf)
    logits[rows] = chosen.fill_(-torch.inf).scatter_(1, ids, values)


def truncate(weights: Tensor, params: Sequence[SamplingParams]) -> None:
    """Apply top_p, typical_p and min_p, in this order, to the rows whose parameters set them.

    weights: [n, m] float32, >= 0, each row's sum positive; changed in place.
    """
    _keep_masses(weights, [p.top_p for p in params], _by_weight)
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
    """Return keys that rank tokens by |surprisal - entropy|, which is largest for a weight of 0.

    That is the distance of a weight's logarithm from the mean logarithm, so weights need not sum to 1.
    """
    logs = weights.log().clamp_(min=torch.finfo(torch.float32).min)
    mean = row_sums(weights * logs) / row_sums(weights)
    return logs.sub_(mean).abs_().view(torch.int32)


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
    ranks = rank(chosen).argsort(dim=-1, stable=True)
    ranked = chosen.gather(1, ranks).double()
    is_needed = ranked.cumsum(dim=-1) - ranked < wanted.unsqueeze(1)
    is_needed[:, 0] = True
    weights[index] = chosen.masked_fill_(torch.ones_like(is_needed).scatter_(1, ranks, ~is_needed), 0)
