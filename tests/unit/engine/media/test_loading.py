"""The start says why the media of a model are not read."""

from pathlib import Path
from typing import Any, cast

import pytest
from transformers import (
    Cohere2VisionConfig,
    Gemma3nConfig,
    Idefics2Config,
    Llama4Config,
    LlamaConfig,
    PreTrainedConfig,
    WhisperConfig,
)

from engine.config import MediaLimits
from engine.media.loading import load_processor
from engine.text.tokenizer import Tokenizer

LIMITS = MediaLimits()


def notes_of(config: PreTrainedConfig) -> list[str]:
    lines: list[str] = []
    tokenizer = cast(Tokenizer, None)  # which is not looked at
    options: dict[str, Any] = {"max_cached_bytes": 1, "limits": LIMITS, "on_progress": lines.append}
    assert load_processor(Path("nowhere"), config, tokenizer, **options) is None
    return lines


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (Llama4Config(), "transformers needs torchvision for them"),
        (Cohere2VisionConfig(), "transformers needs torchvision for them"),
        (Gemma3nConfig(), "transformers needs timm for them"),
        (Idefics2Config(), "no family here is `idefics2`"),
    ],
)
def test_a_model_whose_media_are_not_read_says_why(config: PreTrainedConfig, reason: str) -> None:
    before = "note: the model is served for text alone; its media are not read: "
    assert notes_of(config) == [before + reason]


@pytest.mark.parametrize("config", [LlamaConfig(), WhisperConfig()])
def test_a_model_without_media_says_nothing(config: PreTrainedConfig) -> None:
    assert notes_of(config) == []
