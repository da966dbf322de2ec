"""transformers' processor of a model's images, loaded from its directory without one for videos; no torch."""

import hashlib
import importlib
import json
from copy import deepcopy
from inspect import signature
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image
from transformers import AutoImageProcessor, PreTrainedConfig
from transformers.models.auto import processing_auto
from transformers.processing_utils import ProcessorMixin

from engine.media.families import MediaFamily
from engine.media.processed_item import Arrays
from engine.text.tokenizer import Tokenizer

# transformers' names of processors by type of model, which it does not export.
_NAMES: Final[Any] = vars(processing_auto)["PROCESSOR_MAPPING_NAMES"]
_PIXTRAL: Final = "PixtralProcessor"
_SETTINGS_FILE: Final = "processor_config.json"


class CannotProcess(Exception):
    """A model's processor cannot be loaded, or refuses an image. Its text says why."""


class ImageProcessor:
    """A model's image processor, and the text that keeps an image's place.

    placeholder: the text of the token that stands for an image in a prompt before it is processed.
    settings: a digest of all that a result depends on besides the file.
    """

    def __init__(self, directory: Path, config: PreTrainedConfig, family: MediaFamily, tokenizer: Tokenizer):
        """Load it. Raises CannotProcess."""
        self._family = family
        try:
            auto: Any = AutoImageProcessor
            self._images: Any = auto.from_pretrained(directory, local_files_only=True)
            self._whole: Any = _whole_processor(directory, config, self._images, tokenizer)
        except Exception as error:  # whatever transformers raises for missing or broken files
            raise CannotProcess(f"{type(error).__name__}: {' '.join(str(error).split())}") from error
        self.placeholder: str = self._whole.image_token
        self._options: dict[str, Any] = dict(getattr(self._whole, "images_kwargs", None) or {})
        self._options |= getattr(self._whole, "own_options", {})
        self._options["return_tensors"] = "np"
        settings = [type(self._whole).__name__, self._images.to_json_string(), _scalars(self._whole)]
        self.settings = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).digest()

    @property
    def merge_size(self) -> int:
        """The patches, along each side, that become one token."""
        return getattr(self._images, "merge_size", 1)

    def process(self, image: Image.Image, *, is_alone: bool) -> tuple[str, Arrays]:
        """Return the text that keeps the image's place, and the encoder's arguments among others.

        is_alone: whether it is the only one of its prompt. Raises CannotProcess where the processor refuses
        the image.
        """
        # One that is not alone is shown beside itself, and of both results the first is taken.
        images = [image] if is_alone or not self._family.differs_alone else [image, image]
        try:
            found = self._images([images] if self._family.is_nested else images, **self._options)
            text: str = self._whole.replace_image_token(found, image_idx=0)
        except Exception as error:  # processors raise whatever they meet
            raise CannotProcess(f"the model's processor refuses the image: {error}") from error
        arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
        return text, arrays if len(images) == 1 else {name: array[:1] for name, array in arrays.items()}


def _scalars(processor: Any) -> dict[str, Any]:
    """Return the settings of a processor that are plain values, such as an image's number of tokens."""
    return {
        name: value
        for name, value in vars(processor).items()
        if isinstance(value, str | int | float | bool | None) and name != "chat_template"
    }


def _whole_processor(directory: Path, config: PreTrainedConfig, images: Any, tokenizer: Tokenizer) -> Any:
    """Return the object that knows the texts in which an image's tokens stand."""
    path = directory / _SETTINGS_FILE
    settings: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    name = settings.get("processor_class") or _NAMES[config.model_type]
    if name == _PIXTRAL:
        return _PixtralTexts(config, settings, images)
    module = importlib.import_module(
        f"transformers.models.{config.model_type}.processing_{config.model_type}"
    )
    found = getattr(module, name)
    if not issubclass(found, ProcessorMixin):
        raise TypeError(f"{name} is no processor of transformers")
    processor_class = for_images(found)
    known = signature(found.__init__).parameters
    options = {key: value for key, value in settings.items() if key in known and not isinstance(value, dict)}
    # A copy, since some processors add tokens that a tokenizer lacks.
    return processor_class(images, deepcopy(tokenizer.hf), **options)


def for_images(processor_class: Any) -> Any:
    """Return a subclass that has no processors of videos, which would need torchvision, and of sounds."""
    attributes = [
        name for name in processor_class.get_attributes() if name in ("image_processor", "tokenizer")
    ]
    others = {name: None for name in processor_class.get_attributes() if name not in attributes}

    def init(self: Any, image_processor: Any, tokenizer: Any, **options: Any) -> None:
        processor_class.__init__(
            self, image_processor=image_processor, tokenizer=tokenizer, **others, **options
        )

    def check(self: Any, name: str, argument: Any) -> Any:
        return (
            None
            if argument is None
            else processor_class.check_argument_for_proper_class(self, name, argument)
        )

    members = {
        "__init__": init,
        "__module__": processor_class.__module__,
        "get_attributes": classmethod(lambda cls: [*attributes, *others]),
        "check_argument_for_proper_class": check,
    }
    return type(processor_class.__name__, (processor_class,), members)


class _PixtralTexts:
    """The text of an image's tokens for Pixtral and Mistral 3, whose processor needs torchvision to import.

    A row of patches ends with a token of its own, and the last one with another.
    """

    def __init__(self, config: PreTrainedConfig, settings: dict[str, Any], images: Any) -> None:
        vision: Any = config.vision_config
        merged = settings.get("spatial_merge_size", getattr(config, "spatial_merge_size", 1))
        self.patch_size: int = settings.get("patch_size", vision.patch_size) * merged
        self.image_token: str = settings.get("image_token", "[IMG]")
        self.row_end: str = settings.get("image_break_token", "[IMG_BREAK]")
        self.end: str = settings.get("image_end_token", "[IMG_END]")
        self.own_options = {"patch_size": self.patch_size}

    def replace_image_token(self, found: Any, image_idx: int) -> str:
        height, width = (int(side) // self.patch_size for side in found["image_sizes"][image_idx])
        row = self.image_token * width
        return self.row_end.join([row] * height) + self.end
