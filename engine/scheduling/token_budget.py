"""The division of a step's tokens among the sequences that run and those that may begin; pure."""

from collections.abc import Iterable, Mapping

from engine.scheduling.sequence import Sequence


def divide_budget(
    running: list[Sequence], max_batch_tokens: int, admissible: Mapping[Sequence, int] | None = None
) -> list[tuple[Sequence, int]]:
    """Return the number of tokens of each sequence that the next step computes; parked ones get none.

    running: the running sequences in order. admissible: the waiting sequences that may begin in this step,
    with the number of tokens to compute of each.

    Decoding sequences take a token each, then their forced tokens. Prompts share the rest, as
    `_divide_among_prompts` says. One token is reserved for the first running sequence if it prefills.
    The result is in the scheduler's order.
    """
    ready = [sequence for sequence in running if not sequence.is_parked]
    decoding = [sequence for sequence in ready if sequence.is_decoding]
    decodes = [(sequence, sequence.num_uncomputed) for sequence in decoding]
    if not admissible and len(decodes) == len(ready) and sum(num for _, num in decodes) <= max_batch_tokens:
        return decodes  # the usual step; these are in order
    reserve = 1 if ready and not ready[0].is_decoding else 0
    shares = dict.fromkeys(decoding[: max_batch_tokens - reserve], 1)
    budget = max_batch_tokens - reserve - len(shares)
    for sequence in shares:
        rest = min(budget, sequence.num_uncomputed - 1)
        shares[sequence] += rest
        budget -= rest
    needs = {sequence: sequence.num_uncomputed for sequence in ready if not sequence.is_decoding}
    needs |= admissible or {}
    shares |= _divide_among_prompts(needs, budget + reserve, ready[:reserve])
    return sorted(shares.items(), key=lambda share: share[0].order)


def _divide_among_prompts(
    needs: Mapping[Sequence, int], budget: int, first: list[Sequence]
) -> dict[Sequence, int]:
    """Divide half of the budget among prompts in order, so that each gets its turn, the rest shortest first.

    So a prompt waits for shorter and for earlier prompts, and never long for a longer one. Among equals both
    halves go to the same prompt, whose blocks the next may start from. Tokens that one half leaves go to the
    other.

    needs: the number of tokens to compute of each. first: the sequences that get a token before all others.
    """
    shares = dict.fromkeys(needs, 0)

    def give(sequences: Iterable[Sequence], budget: int) -> int:
        """Fill the needs one after another, and return the number of tokens left."""
        for sequence in sequences:
            num_tokens = min(budget, needs[sequence] - shares[sequence])
            shares[sequence] += num_tokens
            budget -= num_tokens
        return budget

    left = budget - len(first)
    give(first, len(first))
    half = left - left // 2
    left -= half - give(sorted(needs, key=lambda one: one.order), half)
    give(sorted(needs, key=lambda one: (one.priority, needs[one] - shares[one], one.order)), left)
    return {sequence: num_tokens for sequence, num_tokens in shares.items() if num_tokens}
