"""transformers' whole processor of a model's media, without parts that are not used.

It knows the texts in which an image's or a sound's tokens stand. Its part for videos would need torchvision.
"""

import hashlib
import importlib
import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from transformers import PreTrainedConfig
from transformers.models.auto import processing_auto
from transformers.processing_utils import ProcessorMixin

from engine.media.readers.own_texts import OWN_METHODS, OWN_TEXTS
from engine.text.tokenizer import Tokenizer

# transformers' processor, or what stands for it.
WholeProcessor = Any

# transformers' names of processors by type of model, which it does not export.
_NAMES: Final[Any] = vars(processing_auto)["PROCESSOR_MAPPING_NAMES"]
_SETTINGS_FILE: Final = "processor_config.json"
# The parts that make tensors of images and of sounds; a class has either name for the latter.
_IMAGES: Final = "image_processor"
_SOUNDS: Final = ("feature_extractor", "audio_processor")


def whole_processor(
    directory: Path, config: PreTrainedConfig, tokenizer: Tokenizer, *, images: Any, sounds: Any
) -> WholeProcessor:
    """Return the processor of a model's directory. Raises whatever transformers raises.

    images, sounds: the parts that make tensors of them; None where these are not read.
    """
    path = directory / _SETTINGS_FILE
    settings: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    name = settings.get("processor_class") or _NAMES[config.model_type]
    if (own := OWN_TEXTS.get(name)) is not None:
        return own(config, settings, tokenizer, images=images, sounds=sounds)
    module = importlib.import_module(
        f"transformers.models.{config.model_type}.processing_{config.model_type}"
    )
    found = getattr(module, name)
    if not issubclass(found, ProcessorMixin):
        raise TypeError(f"{name} is no processor of transformers")
    known = signature(found.__init__).parameters
    options = {key: value for key, value in settings.items() if key in known and not isinstance(value, dict)}
    # A copy, since some processors add tokens that a tokenizer lacks.
    methods = OWN_METHODS.get(name, {})
    return with_parts(found, deepcopy(tokenizer.hf), images=images, sounds=sounds, methods=methods, **options)


def with_parts(
    processor_class: Any,
    tokenizer: Any,
    *,
    images: Any = None,
    sounds: Any = None,
    methods: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    **options: Any,
) -> WholeProcessor:
    """Return a processor of transformers that has these parts alone, of those that its class knows.

    methods: by name, in place of the class's own.
    """
    given = {"tokenizer": tokenizer, _IMAGES: images, **dict.fromkeys(_SOUNDS, sounds)}
    names: list[str] = processor_class.get_attributes()
    parts = {name: given.get(name) for name in names}

    def check(self: Any, name: str, argument: Any) -> Any:
        return (
            None
            if argument is None
            else processor_class.check_argument_for_proper_class(self, name, argument)
        )

    members = {
        "__module__": processor_class.__module__,
        "get_attributes": classmethod(lambda cls: names),
        "check_argument_for_proper_class": check,
        **methods,
    }
    return type(processor_class.__name__, (processor_class,), members)(**parts, **options)


def digest_of(whole: WholeProcessor, part: Any) -> bytes:
    """Return a digest of the settings of a processor and of its part for one kind."""
    settings = [type(whole).__name__, part.to_json_string(), _scalars(whole)]
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).digest()


def _scalars(processor: WholeProcessor) -> dict[str, Any]:
    """Return the settings of a processor that are plain values, such as an image's number of tokens."""
    return {
        name: value
        for name, value in vars(processor).items()
        if isinstance(value, str | int | float | bool | None) and name != "chat_template"
    }
