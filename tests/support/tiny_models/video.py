"""Tiny models of random weights that read videos, with the settings of their processors of videos."""

import json
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel

from tests.support.tiny_models.media import MEDIA_FAMILIES, TinyFamily, save_tiny_media_model

_GEMMA: dict[str, Any] = {
    "patch_size": 4,
    "max_soft_tokens": 70,
    "pooling_kernel_size": 2,
    "num_frames": 2,
    "do_normalize": False,
}
_GLM: dict[str, Any] = {"patch_size": 4, "size": {"shortest_edge": 64, "longest_edge": 8192}, "fps": 4}
VIDEO_SETTINGS: dict[str, dict[str, Any]] = {
    "qwen2_vl": {"patch_size": 4, "size": {"shortest_edge": 64, "longest_edge": 4096}, "fps": 2},
    "qwen2_5_vl": {"patch_size": 4, "size": {"shortest_edge": 64, "longest_edge": 4096}, "fps": 4},
    "qwen3_vl": {"patch_size": 4, "size": {"shortest_edge": 64, "longest_edge": 8192}, "fps": 2},
    "qwen3_5": {"patch_size": 4, "size": {"shortest_edge": 64, "longest_edge": 8192}, "fps": 2},
    "glm4v": _GLM,
    "glm_ocr": _GLM,
    "gemma4": _GEMMA,
    "gemma4_both_ways": _GEMMA,
    "internvl": {"num_frames": 3, "size": {"height": 28, "width": 28}},
    "llava_onevision": {"num_frames": 3, "size": {"height": 28, "width": 28}},
    "smolvlm": {
        "num_frames": 2,
        "fps": 2,
        "size": {"longest_edge": 56},
        "max_image_size": {"longest_edge": 28},
    },
}


def save_tiny_video_model(directory: Path, family: str, tiny: TinyFamily | None = None) -> PreTrainedModel:
    """Write a model as `save_tiny_media_model` does, with the settings of its processor of videos.

    tiny: in place of the family's own sizes.
    """
    tiny = tiny or MEDIA_FAMILIES[family]
    model = save_tiny_media_model(directory, tiny)
    images = tiny.images()
    settings = {
        "image_mean": images.image_mean,
        "image_std": images.image_std,
        **VIDEO_SETTINGS[family],
    }
    (directory / "video_preprocessor_config.json").write_text(json.dumps(settings))
    return model
