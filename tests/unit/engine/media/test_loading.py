"""The start says why the media of a model are not read."""

import sys
from pathlib import Path
from typing import Any, cast

import pytest
from transformers import (
    Cohere2VisionConfig,
    FastVlmConfig,
    Gemma3nConfig,
    Idefics2Config,
    Llama4Config,
    LlamaConfig,
    Phi4MultimodalConfig,
    PreTrainedConfig,
    WhisperConfig,
)

from engine.config import MediaLimits
from engine.media.loading import load_processor
from engine.port.text.tokenizer import Tokenizer

LIMITS = MediaLimits()


def notes_of(config: PreTrainedConfig, directory: Path = Path("nowhere")) -> list[str]:
    lines: list[str] = []
    tokenizer = cast(Tokenizer, None)  # which is not looked at
    options: dict[str, Any] = {"max_cached_bytes": 1, "limits": LIMITS, "on_progress": lines.append}
    assert load_processor(directory, config, tokenizer, **options) is None
    return lines


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (Phi4MultimodalConfig(), "its LoRA adapters for them, one for each kind, are not applied"),
        (Idefics2Config(), "no family here is `idefics2`"),
    ],
)
def test_a_model_whose_media_are_not_read_says_why(config: PreTrainedConfig, reason: str) -> None:
    before = "note: the model is served for text only; its media are not read: "
    assert notes_of(config) == [before + reason]


@pytest.mark.parametrize("config", [LlamaConfig(), WhisperConfig()])
def test_a_model_without_media_says_nothing(config: PreTrainedConfig) -> None:
    assert notes_of(config) == []


TORCHVISION = (
    "torchvision is not installed (pip install torchvision, in the version for the torch that is installed)"
)
TIMM = "timm is not installed (pip install timm)"


@pytest.mark.parametrize(
    ("config", "note"),
    [
        (Llama4Config(), f"images cannot be read: {TORCHVISION}"),
        (Cohere2VisionConfig(), f"images cannot be read: {TORCHVISION}"),
        (FastVlmConfig(), f"images cannot be read: {TORCHVISION}; {TIMM}"),
        (Gemma3nConfig(), f"audio and images cannot be read: {TORCHVISION}; {TIMM}"),
    ],
)
def test_a_family_whose_packages_are_missing_says_what_to_install(
    config: PreTrainedConfig, note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "processor_config.json").write_text("{}")
    for package in ("torchvision", "timm"):
        monkeypatch.setitem(sys.modules, package, None)
    assert notes_of(config, tmp_path) == [f"note: {note}"]


def test_a_torchvision_that_is_made_for_another_torch_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "processor_config.json").write_text("{}")
    (tmp_path / "torchvision.py").write_text("raise RuntimeError('operator torchvision::nms does not exist')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torchvision", raising=False)
    (note,) = notes_of(Llama4Config(), tmp_path)
    assert note.startswith(
        "note: images cannot be read: torchvision cannot be imported: operator torchvision::nms does not "
        "exist (pip install torchvision, in the version for the torch"
    )
