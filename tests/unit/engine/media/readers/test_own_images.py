"""The images that are cut here are those of transformers' own processor, which needs torchvision."""

from typing import Any

import numpy as np
import pytest
from PIL import Image

from engine.media.readers.own_images import Lfm2VlImages
from tests.support.processors.lfm2_vl_images import SETTINGS, PublishedLfm2VlImages

SIZES = ((24, 24), (60, 30), (20, 50), (9, 90), (90, 9), (64, 64), (47, 97), (200, 33), (1, 1), (80, 8))
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    {"min_tiles": 3, "max_tiles": 8},
    {"do_image_splitting": False},
    {"use_thumbnail": False},
    {"max_image_tokens": 40, "max_pixels_tolerance": 1.0, "tile_size": 24},
)


def picture(width: int, height: int) -> Image.Image:
    generator = np.random.default_rng(width * height)
    return Image.fromarray(generator.integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_patches_of_lfm2_vl_are_those_of_transformers(changes: dict[str, Any]) -> None:
    pictures = [picture(*size) for size in SIZES]
    own = Lfm2VlImages(SETTINGS | changes)
    cut = set()
    for images in (*([one] for one in pictures), pictures):
        found, expected = own(images), PublishedLfm2VlImages(**changes)(images)
        for name in ("pixel_values", "pixel_attention_mask", "spatial_shapes"):
            assert found[name].shape == expected[name].shape
            np.testing.assert_allclose(found[name], expected[name].numpy(), atol=1e-5)
        for name in ("image_rows", "image_cols", "image_sizes"):
            assert np.array(found[name]).tolist() == np.array(expected[name]).tolist()
        cut.update(found["image_rows"])
    assert len(cut) > 1 or not own.do_image_splitting


def test_an_image_that_is_too_long_for_its_patches_is_refused() -> None:
    with pytest.raises(ValueError, match="it has 192 patches, and 48 are the most"):
        Lfm2VlImages(SETTINGS | {"do_image_splitting": False})([picture(400, 2)])
