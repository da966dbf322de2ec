"""The figures of the vision model: its shape, its words and the schedules of its three stages of training."""

from typing import Final

from transformers import LlavaConfig, Qwen3Config, SiglipVisionConfig

from tools.demo_model.recipe import CHUNK, REFRESHING, Blend, Schedule, Weights
from tools.demo_model.recipe import shape as text_shape
from tools.demo_model.vision.scene import SHAPES

EDGE: Final = 108
PATCH: Final = 12
PATCHES_A_SIDE: Final = EDGE // PATCH
"""Three for each row and column in which figures stand, so that their centres are within patches."""
NUM_PATCHES: Final = PATCHES_A_SIDE**2
"""Tokens that each picture becomes."""
IMAGE_TOKEN: Final = "<|image|>"
WORDS: Final = (
    *(noun + ending for noun in (*SHAPES, "shape") for ending in ("", "s")),
    *("figure", "digit", "top", "middle", "bottom", "picture", "image"),
)
"""Words that are one token each here, and two to five in the text model, which seldom says them. So a word
for what a picture shows meets the rows of its patches as a whole."""
LAST_LAYER: Final = -1
ALL_PATCHES: Final = "full"

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


def text_config(vocabulary_size: int) -> Qwen3Config:
    """Return the text model's shape with a larger vocabulary."""
    config = text_shape()
    config.vocab_size = vocabulary_size
    return config


def shape(vocabulary_size: int, image_token_id: int) -> LlavaConfig:
    """Return LLaVA's shape: SigLIP's tower of 0.8 million parameters before the text model of 3.5 million."""
    return LlavaConfig(
        vision_config=SiglipVisionConfig(
            hidden_size=128,
            intermediate_size=512,
            num_hidden_layers=4,
            num_attention_heads=4,
            image_size=EDGE,
            patch_size=PATCH,
            vision_use_head=False,
        ),
        text_config=text_config(vocabulary_size),
        image_token_index=image_token_id,
        image_seq_length=NUM_PATCHES,
        vision_feature_layer=LAST_LAYER,
        vision_feature_select_strategy=ALL_PATCHES,
        tie_word_embeddings=True,
    )
