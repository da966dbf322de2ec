"""The schedules of the vision model's three stages of training, and the shares of what they read."""

from typing import Final

from tools.demo_model.recipe import CHUNK, REFRESHING, Blend, Schedule, Weights

TEXT_SHARE: Final = 0.3
"""The share of documents without a picture, so that the model still does what the text model does. They are
shorter, and so one token in seven."""
THINKING_SHARE: Final = 0.15
PICTURES_A_TOWER_BATCH: Final = 64
CROWDED_SHARE: Final = 0.45
"""The share of the tower's pictures that have up to nine figures, most of them digits."""
LARGE_SHARE: Final = 0.2
"""The share of those that have one large figure, which other scenes seldom have."""
NUM_THREADS: Final = 1
"""On two cores that other work shares, two threads took three times the processor time of one."""

# The tower learns what each patch shows before the language model reads it: a label for each of 81 patches
# teaches more than an answer of ten tokens.
TOWER: Final = Schedule(
    num_steps=2000,
    save_every=2 * CHUNK,
    curriculum=(),
    first_seed=20_000_000,
    peak=1.0,
    warmup_steps=20,
    decay_from=0.5,
)
TEXT: Final = Schedule(
    num_steps=2200,
    save_every=2 * CHUNK,
    curriculum=(Blend(1.0, 0.03, 0.0, REFRESHING, 7, 448),),
    first_seed=21_000_000,
    peak=0.6,
    warmup_steps=30,
    decay_from=0.15,
)
# What the second stage leaves weak without pictures: sums, unknown facts, and tools for something else.
_LOST: Final[Weights] = (18, 6, 26, 4, 26, 3, 17, 6)
REFRESH: Final = Schedule(
    num_steps=350,
    save_every=CHUNK,
    curriculum=(Blend(1.0, 0.03, 0.0, _LOST, 7, 448),),
    first_seed=22_000_000,
    peak=0.35,
    warmup_steps=20,
    decay_from=0.05,
)
