"""Seeds that answers report, for requests whose clients gave none."""

import random

_SEED_BITS = 53  # a seed that is reported survives clients whose numbers are doubles


def draw_seed() -> int:
    return random.getrandbits(_SEED_BITS)
