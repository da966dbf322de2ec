"""Random seeds for requests without a seed, which answers report."""

import random

_SEED_BITS = 53  # so that clients that read numbers as doubles keep the reported seed exactly


def draw_seed() -> int:
    return random.getrandbits(_SEED_BITS)
