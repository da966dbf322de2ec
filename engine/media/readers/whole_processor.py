"""transformers' whole processor of a model's media, without parts that are not used.

It knows the texts in which an image's or a sound's tokens stand. Its part for videos would need torchvision.
"""

import hashlib
import importlib
import importlib.util
import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from transformers import PreTrainedConfig
from transformers.models.auto import processing_auto
from transformers.models.auto.configuration_auto import model_type_to_module_name
from transformers.processing_utils import ProcessorMixin

from engine.media.readers.own_texts import OWN_METHODS, OWN_TEXTS
from engine.port.text.tokenizer import Tokenizer

# transformers' processor, or what stands for it.
WholeProcessor = Any

# transformers' names of processors by type of model, which it does not export.
_NAMES: Final[Any] = vars(processing_auto)["PROCESSOR_MAPPING_NAMES"]
SETTINGS_FILE: Final = "processor_config.json"
IMAGES_FILE: Final = "preprocessor_config.json"
_NAME: Final = "processor_class"
# The parts that make tensors of images and of audio; a class has either name for the latter.
IMAGES: Final = "image_processor"
_AUDIO: Final = ("feature_extractor", "audio_processor")


def whole_processor(
    directory: Path, config: PreTrainedConfig, tokenizer: Tokenizer, *, images: Any, audio: Any
) -> WholeProcessor:
    """Return the processor of a model's directory. Raises whatever transformers raises.

    images, audio: the parts that make tensors of them; None where these are not read.
    """
    settings = stored_settings(directory / SETTINGS_FILE)
    name = settings.get(_NAME) or _NAMES.get(config.model_type)
    name = name or stored_settings(directory / IMAGES_FILE)[_NAME]
    if (own := OWN_TEXTS.get(name)) is not None:
        return own(config, settings, tokenizer, images=images, audio=audio)
    found = _named_class(name, config.model_type)
    known = signature(found.__init__).parameters
    options = {key: value for key, value in settings.items() if key in known and not isinstance(value, dict)}
    # A copy, since some processors add tokens that a tokenizer lacks.
    methods = OWN_METHODS.get(name, {})
    return with_parts(found, deepcopy(tokenizer.hf), images=images, audio=audio, methods=methods, **options)


def stored_settings(path: Path) -> dict[str, Any]:
    """Return what a file of settings holds; nothing if there is no such file."""
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def _named_class(name: str, model_type: str) -> Any:
    """Return transformers' processor of this name, which may be that of another type.

    It is imported by itself, since transformers imports none that has a part for videos without torchvision.
    """
    types = [model_type, *(other for other, known in _NAMES.items() if known == name and other != model_type)]
    for each in types:
        folder = model_type_to_module_name(each)
        place = f"transformers.models.{folder}.processing_{folder}"
        if importlib.util.find_spec(place) is None:
            continue
        found = getattr(importlib.import_module(place), name, None)
        if isinstance(found, type) and issubclass(found, ProcessorMixin):
            return found
    raise TypeError(f"{name} is no processor of transformers")


def with_parts(
    processor_class: Any,
    tokenizer: Any,
    *,
    images: Any = None,
    audio: Any = None,
    methods: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    **options: Any,
) -> WholeProcessor:
    """Return a processor of transformers that has only these parts, of those that its class knows.

    methods: by name, in place of the class's own.
    """
    given = {"tokenizer": tokenizer, IMAGES: images, **dict.fromkeys(_AUDIO, audio)}
    names: list[str] = processor_class.get_attributes()
    parts = {name: given.get(name) for name in names}

    def check(self: Any, name: str, argument: Any) -> Any:
        if not type(argument).__module__.startswith("transformers."):
            return None  # it is left out, or stands for one of transformers
        return processor_class.check_argument_for_proper_class(self, name, argument)

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
