"""The own processor of transformers for images of LFM2-VL, where Pillow scales and torch does the rest."""

import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from tests.support.processors.empty_torchvision import empty_torchvision

SETTINGS: dict[str, Any] = {
    "downsample_factor": 2,
    "do_image_splitting": True,
    "min_tiles": 2,
    "max_tiles": 4,
    "use_thumbnail": True,
    "min_image_tokens": 2,
    "max_image_tokens": 12,
    "encoder_patch_size": 4,
    "tile_size": 16,
    "max_pixels_tolerance": 2.0,
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "image_mean": [0.5, 0.4, 0.3],
    "image_std": [0.5, 0.6, 0.7],
    "resample": 2,
    "do_pad": True,
}
with empty_torchvision("image_processing_lfm2_vl"):
    _module = import_module("transformers.models.lfm2_vl.image_processing_lfm2_vl")


def _resize(self: object, image: Tensor, size: Any, resample: int, **_: object) -> Tensor:
    """Scale a batch of images by Pillow, in the place of torchvision."""
    sides = (size.width, size.height)
    scaled = [
        np.array(Image.fromarray(each.permute(1, 2, 0).numpy()).resize(sides, Image.Resampling(resample)))
        for each in image
    ]
    return torch.from_numpy(np.stack(scaled)).permute(0, 3, 1, 2)


def _normalize(
    self: object, images: Tensor, _: bool, factor: float, __: bool, mean: list[float], deviation: list[float]
) -> Tensor:
    shape = (-1, 1, 1)
    return (images * factor - torch.tensor(mean).view(shape)) / torch.tensor(deviation).view(shape)


class PublishedLfm2VlImages:
    """transformers' processor of images with these settings, which are its attributes."""

    def __init__(self, **changes: Any) -> None:
        self._settings = SETTINGS | changes
        base: Any = _module.Lfm2VlImageProcessor
        members = {"resize": _resize, "rescale_and_normalize": _normalize}
        between = type("Scaling", (base.__base__,), members)
        self._own: Any = object.__new__(type("Own", (base, between), {}))

    def __getattr__(self, name: str) -> Any:
        try:
            return self._settings[name]
        except KeyError:
            raise AttributeError(name) from None

    def fetch_images(self, images: Any) -> Any:
        """Return images that are no addresses as they are."""
        return images

    def save_pretrained(self, directory: Path) -> None:
        """Write the settings as transformers does."""
        (directory / "preprocessor_config.json").write_text(json.dumps(self._settings))

    def __call__(self, images: Sequence[Any], **_: Any) -> dict[str, Any]:
        pictures = [each for one in images for each in (one if isinstance(one, list) else [one])]
        tensors = [torch.from_numpy(np.array(each)).permute(2, 0, 1) for each in pictures]
        found: dict[str, Any] = self._own._preprocess(
            tensors,
            do_resize=True,
            return_row_col_info=True,
            return_tensors=None,
            disable_grouping=True,
            **self._settings,
        )
        return found
