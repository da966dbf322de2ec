"""The figures of the training run: shape, schedule, curriculum."""

from dataclasses import dataclass
from typing import Final

from transformers import Qwen3Config

from tools.demo_model.tokenizer import VOCABULARY_SIZE

CONTEXT_LENGTH: Final = 2048
CHUNK: Final = 50
"""Steps whose data one seed fixes; a run resumes at a multiple of it with the very data it would have had."""
NUM_THREADS: Final = 2
LOG_EVERY: Final = 10
MUON_RATE: Final = 0.02
ADAM_RATE: Final = 3e-3


def shape() -> Qwen3Config:
    """Qwen3's shape at 3.5 million parameters."""
    return Qwen3Config(
        vocab_size=VOCABULARY_SIZE,
        hidden_size=256,
        intermediate_size=768,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
        tie_word_embeddings=True,
        max_position_embeddings=CONTEXT_LENGTH,
    )


Weights = tuple[int, int, int, int, int, int, int, int]


@dataclass(frozen=True)
class Blend:
    """The data that a stretch of training reads, up to a point of the run, and how it is packed.

    `weights` are those of single rounds, remembering, calls, calls not needed, practice of weak points and of
    rare ones, requests that no tool is there for, and forms and calls that are forced.
    """

    until: float
    copy_share: float
    long_share: float
    weights: Weights
    num_rows: int
    row_length: int


@dataclass(frozen=True)
class Schedule:
    """A run of training: its length, its data and its rates.

    first_seed: the seed of the first chunk's data, so that two schedules read different dialogues. peak: the
    factor on the learning rates at their highest, reached after `warmup_steps`. decay_from: the share of the
    run after which they fall.
    """

    num_steps: int
    save_every: int
    curriculum: tuple[Blend, ...]
    first_seed: int
    peak: float
    warmup_steps: int
    decay_from: float

    def blend_at(self, progress: float) -> Blend:
        """Return the blend for a point of the run, 0 being its start and 1 its end."""
        return next(blend for blend in self.curriculum if progress < blend.until)

    def rate_at(self, step: int) -> float:
        """Return the factor on the learning rates: warm-up, a plateau, a straight line to nothing."""
        remaining = (self.num_steps - step) / (self.num_steps * (1 - self.decay_from))
        return self.peak * min(1.0, (step + 1) / self.warmup_steps, remaining)


_AT_FIRST: Final[Weights] = (40, 9, 39, 6, 0, 0, 6, 0)
_LATER: Final[Weights] = (25, 8, 42, 5, 13, 0, 7, 4)
_AT_LAST: Final[Weights] = (25, 8, 39, 5, 8, 8, 7, 4)
# Copying first, since tools and JSON wait for it; what is weak at half-time is practised then; long rows
# last, when they cost least for what they teach.
FROM_NOTHING: Final = Schedule(
    num_steps=2400,
    save_every=6 * CHUNK,
    curriculum=(
        Blend(0.125, 0.6, 0.0, _AT_FIRST, 32, 256),
        Blend(0.5, 0.06, 0.0, _AT_FIRST, 21, 384),
        Blend(0.75, 0.06, 0.0, _LATER, 21, 384),
        Blend(0.9, 0.06, 0.0, _AT_LAST, 21, 384),
        Blend(1.0, 0.03, 0.15, _AT_LAST, 8, 1024),
    ),
    first_seed=0,
    peak=1.0,
    warmup_steps=40,
    decay_from=0.5,
)
REFRESHING: Final[Weights] = (30, 16, 34, 4, 26, 4, 18, 40)
# The same dialogues, those that the weights have not met yet more often than in a run from nothing.
REFRESH: Final = Schedule(
    num_steps=100,
    save_every=CHUNK,
    curriculum=(Blend(1.0, 0.03, 0.03, REFRESHING, 8, 512),),
    first_seed=1_000_000,
    peak=0.3,
    warmup_steps=10,
    decay_from=0.3,
)
