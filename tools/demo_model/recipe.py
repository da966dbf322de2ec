"""The figures of the training run: shape, schedule, curriculum."""

from dataclasses import dataclass
from typing import Final

from transformers import Qwen3Config

from tools.demo_model.tokenizer import VOCABULARY_SIZE

CONTEXT_LENGTH: Final = 2048
NUM_STEPS: Final = 2400
CHUNK: Final = 50
"""Steps whose data one seed fixes; a run resumes at a multiple of it with the very data it would have had."""
SAVE_EVERY: Final = 6 * CHUNK
NUM_THREADS: Final = 2
WARMUP_STEPS: Final = 40
DECAY_FROM: Final = 0.5
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


Weights = tuple[int, int, int, int, int, int]


@dataclass(frozen=True)
class Blend:
    """The data that a stretch of training reads, up to a point of the run, and how it is packed.

    `weights` are those of single rounds, remembering, calls, calls not needed, practice of weak points and of
    rare ones.
    """

    until: float
    copy_share: float
    long_share: float
    weights: Weights
    num_rows: int
    row_length: int


_AT_FIRST: Final[Weights] = (42, 10, 42, 6, 0, 0)
_LATER: Final[Weights] = (26, 9, 46, 5, 14, 0)
_AT_LAST: Final[Weights] = (26, 9, 42, 5, 9, 9)
# Copying first, since tools and JSON wait for it; what is weak at half-time is practised then; long rows
# last, when they cost least for what they teach.
CURRICULUM: Final = (
    Blend(0.125, 0.6, 0.0, _AT_FIRST, 32, 256),
    Blend(0.5, 0.06, 0.0, _AT_FIRST, 21, 384),
    Blend(0.75, 0.06, 0.0, _LATER, 21, 384),
    Blend(0.9, 0.06, 0.0, _AT_LAST, 21, 384),
    Blend(1.0, 0.03, 0.15, _AT_LAST, 8, 1024),
)


def blend_at(progress: float) -> Blend:
    """The blend for a point of the run, 0 being its start and 1 its end."""
    return next(blend for blend in CURRICULUM if progress < blend.until)


def rate_at(step: int, num_steps: int) -> float:
    """The factor on the learning rates: warm-up, a plateau, a straight line to nothing."""
    remaining = (num_steps - step) / (num_steps * (1 - DECAY_FROM))
    return min(1.0, (step + 1) / WARMUP_STEPS, remaining)
