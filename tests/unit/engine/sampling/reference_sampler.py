"""The sampler's definition in plain float64 Python, token by token and without any shortcut."""

import math
from collections.abc import Callable, Sequence

from engine.port.request import SamplingParams


def adjusted(
    logits: Sequence[float], params: SamplingParams, prompt: Sequence[int], output: Sequence[int]
) -> list[float]:
    """Bias and penalties."""
    result = list(logits)
    for token_id, bias in params.logit_bias.items():
        result[token_id] += bias
    for token_id in {*prompt, *output}:
        value = result[token_id]
        penalty = params.repetition_penalty
        result[token_id] = value / penalty if value > 0 else value * penalty
    for token_id in set(output):
        result[token_id] -= params.presence_penalty + params.frequency_penalty * output.count(token_id)
    return result


def distribution(logits: Sequence[float], params: SamplingParams) -> list[float]:
    """The probability of each token after temperature, top_k, top_p, typical_p and min_p."""
    kept = list(range(len(logits)))
    if params.top_k is not None:
        kept = sorted(kept, key=lambda token_id: (-logits[token_id], token_id))[: params.top_k]
    best = max(logits)
    weights = {i: math.exp((logits[i] - best) / params.temperature) for i in kept}
    if params.top_p < 1:
        probabilities = _normalised(weights)
        weights = _smallest_set(weights, params.top_p, key=lambda i: -probabilities[i])
    if params.typical_p < 1:
        probabilities = _normalised(weights)
        entropy = -sum(p * math.log(p) for p in probabilities.values() if p > 0)
        surprisal = {i: -math.log(p) if p > 0 else math.inf for i, p in probabilities.items()}
        weights = _smallest_set(weights, params.typical_p, key=lambda i: abs(surprisal[i] - entropy))
    floor = params.min_p * max(weights.values())
    probabilities = _normalised({i: weight for i, weight in weights.items() if weight >= floor})
    return [probabilities.get(i, 0.0) for i in range(len(logits))]


def log_softmax(logits: Sequence[float]) -> list[float]:
    best = max(logits)
    total = best + math.log(math.fsum(math.exp(value - best) for value in logits))
    return [value - total for value in logits]


def _normalised(weights: dict[int, float]) -> dict[int, float]:
    total = math.fsum(weights.values())
    return {i: weight / total for i, weight in weights.items()}


def _smallest_set(weights: dict[int, float], mass: float, *, key: Callable[[int], float]) -> dict[int, float]:
    """The first tokens by key whose share reaches the mass; at least one."""
    probabilities = _normalised(weights)
    kept: dict[int, float] = {}
    reached = 0.0
    for i in sorted(weights, key=key):
        if kept and reached >= mass:
            break
        kept[i] = weights[i]
        reached += probabilities[i]
    return kept
