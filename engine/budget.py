"""How a step's tokens are shared among the sequences that run; pure."""

from engine.sequence import Sequence


def divide_budget(running: list[Sequence], max_batch_tokens: int) -> list[tuple[Sequence, int]]:
    """How many tokens of which sequence the next step computes, in order; parked ones get none.

    running: in order. Decoding sequences take a token each, then the rest of their tails, then prompts share
    what is left; a token stays reserved for the first sequence if that has a prompt to compute.
    """
    ready = [sequence for sequence in running if not sequence.is_parked]
    decoding = [sequence for sequence in ready if sequence.is_decoding]
    tails = [(sequence, sequence.num_uncomputed) for sequence in decoding]
    if len(tails) == len(ready) and sum(num for _, num in tails) <= max_batch_tokens:
        return tails  # the usual step; these are in order
    reserve = 1 if ready and not ready[0].is_decoding else 0
    shares = dict.fromkeys(decoding[: max_batch_tokens - reserve], 1)
    budget = max_batch_tokens - reserve - len(shares)
    for sequence in shares:
        rest = min(budget, sequence.num_uncomputed - 1)
        shares[sequence] += rest
        budget -= rest
    budget += reserve
    for sequence in ready:
        if budget > 0 and not sequence.is_decoding:
            shares[sequence] = min(budget, sequence.num_uncomputed)
            budget -= shares[sequence]
    return sorted(shares.items(), key=lambda share: share[0].order)
