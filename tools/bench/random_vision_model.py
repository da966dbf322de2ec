"""A directory with a vision model with random weights."""

from pathlib import Path
from typing import Any, Final

import torch
from transformers import AutoModelForImageTextToText, Qwen2_5_VLConfig
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

from tools.bench.random_model import write_tokenizer

# The patches of Qwen2.5-VL with few small layers, since the preprocessing of images is measured, not the
# model.
_EYES: Final[dict[str, Any]] = {
    "depth": 2,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_heads": 2,
    "out_hidden_size": 64,
    "fullatt_block_indexes": [1],
}
_IMAGE_TOKENS: Final[dict[str, str]] = {
    "image_token_id": "<|image_pad|>",
    "video_token_id": "<|video_pad|>",
    "vision_start_token_id": "<|vision_start|>",
    "vision_end_token_id": "<|vision_end|>",
}
_NUM_WORDS: Final = 1024
_PIXELS_IN_TOKEN: Final = 28 * 28
_CHAT: Final = (
    "{% for message in messages %}{% if message.content is string %}{{ message.content }}{% else %}"
    "{% for part in message.content %}{% if part.type == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part.text }}{% endif %}{% endfor %}{% endif %}{% endfor %}"
)


def write_vision_model(directory: Path, max_image_tokens: int) -> None:
    """Write a small model of Qwen2.5-VL's architecture with its image processor and without an end token."""
    ids: dict[str, Any] = {name: _NUM_WORDS + place for place, name in enumerate(_IMAGE_TOKENS)}
    ends: dict[str, Any] = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
    text = {
        "vocab_size": _NUM_WORDS + len(ids),
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 32_768,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]},
        **ends,
    }
    torch.manual_seed(0)
    auto: Any = AutoModelForImageTextToText
    config = Qwen2_5_VLConfig(text_config=text, vision_config=_EYES, **ids)
    auto.from_config(config, dtype=torch.float32).save_pretrained(directory)
    write_tokenizer(directory, _NUM_WORDS, tuple(_IMAGE_TOKENS.values()), _CHAT)
    images: Any = Qwen2VLImageProcessorPil
    pixels = {"min_pixels": 4 * _PIXELS_IN_TOKEN, "max_pixels": max_image_tokens * _PIXELS_IN_TOKEN}
    images(**pixels).save_pretrained(directory)
    (directory / "processor_config.json").write_text('{"processor_class": "Qwen2_5_VLProcessor"}')
