"""The images of models whose processor in transformers needs torchvision for all that it does."""

import json
from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor, sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Settings = Mapping[str, Any]
Size = tuple[int, int]  # height, width


class Lfm2VlImages:
    """The patches of LFM2-VL's images: of one at its own shape, or of tiles of a large one and of all of it.

    Its attributes are the settings, as the texts of transformers' processor go by them.
    """

    def __init__(self, settings: Settings) -> None:
        """Take the settings of transformers' processor that differ from its own defaults."""
        self.downsample_factor = 2
        self.do_image_splitting = True
        self.min_tiles, self.max_tiles = 2, 10
        self.use_thumbnail = True
        self.min_image_tokens, self.max_image_tokens = 64, 256
        self.encoder_patch_size = 16
        self.tile_size = 512
        self.max_pixels_tolerance = 2.0
        self.resample = int(Image.Resampling.BILINEAR)
        self.rescale_factor = 1 / 255
        self.image_mean = self.image_std = [0.5] * 3
        known = vars(self)
        known.update({name: value for name, value in settings.items() if name in known and value is not None})

    def to_json_string(self) -> str:
        """Return the settings."""
        return json.dumps(vars(self), sort_keys=True)

    def __call__(self, images: Sequence[Image.Image], **_: Any) -> dict[str, Any]:
        """Return the patches of images in RGB, all of which become one list, and how each was cut.

        Every part of an image has the same number of patches, of which the last are filled with zeros.
        """
        made: dict[str, list[Any]] = {}
        for image in images:
            for name, values in self._cut(image).items():
                made.setdefault(name, []).extend(values)
        rows = ("image_rows", "image_cols", "image_sizes")
        return {name: values if name in rows else np.stack(values) for name, values in made.items()}

    def _cut(self, image: Image.Image) -> dict[str, list[Any]]:
        size = (image.height, image.width)
        whole = self._size_of_whole(size)
        rows, columns = self._grid(size) if self._is_large(size) else (1, 1)
        parts = []
        if rows * columns > 1:
            side = self.tile_size
            tiled = self._scaled(image, (side * rows, side * columns))
            parts = [
                tiled.crop((side * column, side * row, side * (column + 1), side * (row + 1)))
                for row in range(rows)
                for column in range(columns)
            ]
        if not parts or self.use_thumbnail:
            parts.append(self._scaled(image, whole))
        patches = [self._patches(part) for part in parts]
        shapes = [
            (part.height // self.encoder_patch_size, part.width // self.encoder_patch_size) for part in parts
        ]
        num_patches = self._num_patches
        if (most := max(map(len, patches))) > num_patches:
            raise ValueError(f"at its shape it has {most} patches, and {num_patches} are the most")
        return {
            "pixel_values": [np.pad(each, ((0, num_patches - len(each)), (0, 0))) for each in patches],
            "pixel_attention_mask": [
                (np.arange(num_patches) < len(each)).astype(np.int32) for each in patches
            ],
            "spatial_shapes": [np.array(shape) for shape in shapes],
            "image_rows": [rows],
            "image_cols": [columns],
            "image_sizes": [whole],
        }

    @property
    def _num_patches(self) -> int:
        in_tile = (self.tile_size // self.encoder_patch_size) ** 2 if self.do_image_splitting else 0
        return max(self.max_image_tokens * self.downsample_factor**2, in_tile)

    @property
    def _side(self) -> int:
        """The pixels of the square that becomes one token."""
        return self.encoder_patch_size * self.downsample_factor

    def _is_large(self, size: Size) -> bool:
        """Return whether an image is cut into tiles."""
        if not self.do_image_splitting or self.min_tiles == self.max_tiles == 1:
            return False
        height, width = (
            max(self.encoder_patch_size, round(length / self._side) * self._side) for length in size
        )
        return height * width > self.max_image_tokens * self._side**2 * self.max_pixels_tolerance

    def _grid(self, size: Size) -> tuple[int, int]:
        """Return the rows and columns of the tiles whose shape together is next to that of the image.

        Of equal shapes, a larger one is taken where the image has more than half of its pixels.
        """
        grids = {
            (columns, rows)
            for columns in range(1, self.max_tiles + 1)
            for rows in range(1, self.max_tiles + 1)
            if self.min_tiles <= columns * rows <= self.max_tiles
        }
        height, width = size
        best, least = (1, 1), float("inf")
        for columns, rows in sorted(grids, key=lambda grid: grid[0] * grid[1]):
            difference = abs(width / height - columns / rows)
            fits = height * width > 0.5 * self.tile_size**2 * columns * rows
            if difference < least or (difference == least and fits):
                best, least = (rows, columns), difference
        return best

    def _size_of_whole(self, size: Size) -> Size:
        """Return the size at which an image has neither too few tokens nor too many."""
        side = self._side
        height, width = (max(side, round(length / side) * side) for length in size)
        least, most = (number * side**2 for number in (self.min_image_tokens, self.max_image_tokens))
        if height * width > most:
            ratio = sqrt(size[0] * size[1] / most)
            height, width = (max(side, floor(length / ratio / side) * side) for length in size)
        elif height * width < least:
            ratio = sqrt(least / (size[0] * size[1]))
            height, width = (ceil(length * ratio / side) * side for length in size)
        return height, width

    def _scaled(self, image: Image.Image, size: Size) -> Image.Image:
        return image.resize((size[1], size[0]), Image.Resampling(self.resample))

    def _patches(self, part: Image.Image) -> NDArray[np.float32]:
        """Return the patches of a part, [num_patches, patch]."""
        values = np.asarray(part, np.float32) * np.float32(self.rescale_factor)
        mean, deviation = (np.array(value, np.float32) for value in (self.image_mean, self.image_std))
        side = self.encoder_patch_size
        rows, columns = part.height // side, part.width // side
        patches = ((values - mean) / deviation).reshape(rows, side, columns, side, 3).transpose(0, 2, 1, 3, 4)
        return patches.reshape(rows * columns, -1)


# By the type of model.
OWN_IMAGES: Final[Mapping[str, Callable[[Settings], Any]]] = {"lfm2_vl": Lfm2VlImages}
