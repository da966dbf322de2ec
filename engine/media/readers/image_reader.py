"""The reader of images, by transformers' image processor of a model."""

import hashlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from transformers import PreTrainedConfig

from engine.config import MediaLimits
from engine.media.families import MediaFamily
from engine.media.process.client import SHARED, Pixels
from engine.media.processed_item import Arrays
from engine.media.readers.media_reader import CannotProcess, ReadFile
from engine.media.readers.whole_processor import WholeProcessor, digest_of

_GRID: Final = "image_grid_thw"
_FLAGS: Final = ("use_image_special_tokens",)


class ImageReader:
    """A `MediaReader` of images."""

    def __init__(
        self,
        images: Any,
        whole: WholeProcessor,
        config: PreTrainedConfig,
        family: MediaFamily,
        limits: MediaLimits,
    ) -> None:
        """Make a reader of images. images: transformers' processor of images."""
        self._images = images
        self._whole = whole
        self._family = family
        self._limits = limits
        self.placeholder = whole.image_token
        self.embedded_id: int = config.image_token_id
        background = bytes(limits.image_background)
        self.settings = hashlib.sha256(digest_of(whole, images) + background).digest()
        self._options: dict[str, Any] = dict(getattr(whole, "images_kwargs", None) or {})
        self._options |= getattr(whole, "own_options", {})
        self._options["return_tensors"] = "pt" if family.processor_needs else "np"
        # What the whole processor gives to its own texts.
        self._flags = {name: value for name in _FLAGS if (value := getattr(whole, name, None)) is not None}

    def read(self, data: bytes, *, is_alone: bool) -> ReadFile:
        """Return what becomes of an image; see `MediaReader`."""
        image = Image.fromarray(self._decoded(data)[0])
        # One that is not alone is shown next to itself, and of both results the first is taken.
        images = [image] if is_alone or not self._family.differs_alone else [image, image]
        try:
            found = self._images([images] if self._family.is_nested else images, **self._options)
            if self._family.processor_needs:
                found = {name: _array(value) for name, value in found.items()}
            text: str = self._whole.replace_image_token(found, image_idx=0, **self._flags)
        except Exception as error:  # processors raise whatever they meet
            raise CannotProcess(f"the model's processor refuses the image: {error}") from error
        arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
        if len(images) > 1:
            arrays = {name: array[:1] for name, array in arrays.items()}
        return ReadFile(text, arrays, self._grids(arrays))

    def plain(self, data: bytes) -> bytes:
        """Return an image without what others read otherwise, such as transparency; see `MediaReader`."""
        pixels, is_plain = self._decoded(data)
        if is_plain:
            return data
        from engine.media.files.encoding import encode_png  # next to it is PyAV, which a server does not need

        return encode_png(pixels)

    def _decoded(self, data: bytes) -> tuple[Pixels, bool]:
        return SHARED.read_image(data, self._limits.max_image_pixels, self._limits.image_background)

    def _grids(self, arrays: Arrays) -> tuple[tuple[int, int, int], ...]:
        """Return the patches of the image that become one token each, where positions have axes."""
        if not self._family.has_axes:
            return ()
        merge_size = getattr(self._images, "merge_size", 1)
        merged = arrays[_GRID] // np.array([1, merge_size, merge_size])
        return tuple((time, height, width) for time, height, width in merged.tolist())


def _array(tensor: Any) -> NDArray[Any]:
    """Return the numbers of a tensor; those of bfloat16, which NumPy does not know, as float32."""
    array: NDArray[Any] = (tensor.float() if tensor.is_floating_point() else tensor).numpy()
    return array
