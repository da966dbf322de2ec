"""The text part of models that also read images, audio or video, which are loaded apart or not at all.

A checkpoint of such a model is read by transformers' own class for all of it, so that its names are converted
as they must be, but without the modules for what is no text unless these are wanted. The language model
inside then takes the place of the whole, where transformers has a class for it that computes the same:
kernels and fusions know it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel, SiglipVisionConfig
from transformers.dynamic_module_utils import get_class_from_dynamic_module
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.modeling_utils import slice_logits_to_keep
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING,
)

from engine.media.families import HEARING_TYPES
from engine.model.checks.reference_pass import reference_logits, relative_difference
from engine.model.checks.tolerance import LOGITS
from engine.speech.speech_class import speech_class

_AUTO: Final[Any] = AutoModelForCausalLM  # its annotations are partial
_PROBE: Final = list(range(8))  # token ids
# The type whose forward asks for the device of its encoder, also where it computes only text.
_ASKS_FOR_DEVICE: Final = "qwen2_audio"
# The class whose forward computes the logits of all rows, whichever are wanted.
_COMPUTES_ALL_ROWS: Final = "Qwen2_5OmniThinkerForConditionalGeneration"

_EYES: Final = "vision_config"
# The types of configurations whose encoder is timm's.
_OF_TIMM: Final = ("gemma3n_vision", "timm_wrapper")
# The type whose forward needs the tables of its media for all tokens, and cannot be compared without them.
_EMBEDS_BY_MEDIA: Final = "gemma3n"


class _Absent(nn.Module):
    """Stands for a module that is not here."""

    device = torch.device("cpu")


def serving_class(config: PreTrainedConfig) -> Any:
    """Return transformers' class that computes a model's text; None if it has none."""
    if (speech := speech_class(config)) is not None:
        return speech
    text = _class_for(MODEL_FOR_CAUSAL_LM_MAPPING, config.get_text_config())
    return text or _class_for(MODEL_FOR_CAUSAL_LM_MAPPING, config) or _media_class(config)


def is_readable(config: PreTrainedConfig) -> bool:
    """Return whether a checkpoint of this configuration is read by a class that is known here.

    The text of one that is not may be of a type that has such a class.
    """
    known = speech_class(config) or _class_for(MODEL_FOR_CAUSAL_LM_MAPPING, config) or _media_class(config)
    return known is not None


def new_model(
    config: PreTrainedConfig,
    *,
    trust_remote_code: bool | None = None,
    keeps_media: bool = False,
    **options: Any,
) -> PreTrainedModel:
    """Return a new model without a checkpoint, of the class that `reading_class` returns.

    options: those of transformers' `from_config`.
    """
    made: PreTrainedModel
    speech: Any = speech_class(config)
    if speech is not None:
        made = speech._from_config(config, **options)
    elif (media := _media_class(config, keeps_media=keeps_media)) is None:
        made = _AUTO.from_config(config, trust_remote_code=trust_remote_code, **options)
    else:
        made = (_with_media if keeps_media else _without_media)(media)._from_config(config, **options)
    return made


def is_of_text(config: PreTrainedConfig) -> bool:
    """Return whether a checkpoint of this configuration is a language model alone."""
    return _media_class(config) is None


def reading_class(config: PreTrainedConfig, *, keeps_media: bool = False) -> Any:
    """Return the class whose `from_pretrained` reads a checkpoint of this configuration.

    keeps_media: whether the modules for what is no text are read too.
    """
    if (speech := speech_class(config)) is not None:
        return speech
    media = _media_class(config, keeps_media=keeps_media)
    if media is None:
        return _AUTO
    return _with_media(media) if keeps_media else _without_media(media)


def plain_class(
    config: PreTrainedConfig, directory: Path, *, trust_remote_code: bool, keeps_media: bool = False
) -> Any:
    """Return the class that `reading_class` finds by a model's directory, to read weights from elsewhere.

    trust_remote_code: whether it may be code in the directory.
    """
    place = (getattr(config, "auto_map", None) or {}).get(_AUTO.__name__)
    if trust_remote_code and place is not None:
        find: Any = get_class_from_dynamic_module  # its annotations are partial
        return find(place, directory)
    if _media_class(config) is not None or speech_class(config) is not None:
        return reading_class(config, keeps_media=keeps_media)
    return _class_for(MODEL_FOR_CAUSAL_LM_MAPPING, config)


def text_model(model: PreTrainedModel) -> PreTrainedModel:
    """Return the language model inside of one that `reading_class` read, made of the same modules.

    It is the model itself where it is a language model, where transformers has no class for the text only,
    and where that class computes something else, as it does for Aya Vision.
    """
    config = model.config.get_text_config()
    text_class = _class_for(MODEL_FOR_CAUSAL_LM_MAPPING, config)
    if config is model.config or text_class is None:
        return model
    with torch.device("meta"):
        language: Any = text_class(config)
    decoder, head = _parts_of(model)
    if head is None or type(language.base_model) is not type(decoder):
        return model
    setattr(language, language.base_model_prefix, decoder)
    language.set_output_embeddings(head)
    is_dry = model.device.type == "meta"  # nothing can be computed, as in a check without weights
    if not is_dry and any(tensor.is_meta for tensor in (*language.parameters(), *language.buffers())):
        return model  # the class has parts that the model lacks
    language.generation_config = model.generation_config
    language.eval()
    text: PreTrainedModel = language
    if is_dry or model.config.model_type == _EMBEDS_BY_MEDIA:
        return text
    difference = relative_difference(reference_logits(text, _PROBE), reference_logits(model, _PROBE))
    return text if difference <= LOGITS.exact else model


def split_media(model: PreTrainedModel) -> PreTrainedModel:
    """Take the modules for what is no text from a model that was read with them, and return these.

    They are held by a copy of the module that has the methods for features, whose other parts it shares. The
    model is then as one that was read without them.
    """
    decoder, _ = _parts_of(model)
    base: Any = model.base_model
    media: PreTrainedModel = copy(base)
    media._modules = {
        name: child
        for name, child in media._modules.items()
        if child is not None and all(part is not decoder for part in child.modules())
    }
    _drop_others(model)
    return media


def _media_class(config: PreTrainedConfig, *, keeps_media: bool = False) -> Any:
    """Return the class for a model of text and more; None for a language model.

    keeps_media: whether it is to have the modules for what is no text; otherwise it is None too where
    transformers itself reads the text alone, as it does for Qwen3.5.
    """
    text = config.get_text_config()
    own = _class_for(MODEL_FOR_CAUSAL_LM_MAPPING, config)
    if text is config:  # transformers lists the class of some models' text with those that read images
        listed = None if own is not None else _class_for(MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING, config)
        return listed if listed is not None and listed.config_class is type(config) else None
    if not keeps_media and own is not None and own.config_class is type(text):
        return None
    if config.model_type in HEARING_TYPES:
        return _class_for(MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING, config)
    return _class_for(MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING, config)


def _class_for(mapping: Any, config: PreTrainedConfig) -> Any:
    found = mapping.get(type(config), None)
    return found[0] if isinstance(found, tuple) else found


@cache
def _without_media(model_class: Any) -> Any:
    """Return a subclass, under the same name, whose instances have no modules but the text's."""

    def init(self: Any, config: PreTrainedConfig, *args: Any, **kwargs: Any) -> None:
        with _without_timm(config):
            model_class.__init__(self, config, *args, **kwargs)
        _drop_others(self)

    return _subclass(model_class, {"__init__": init})


@contextmanager
def _without_timm(config: PreTrainedConfig) -> Iterator[None]:
    """Let an encoder that is timm's be made as a small one, which needs no timm and is dropped afterwards."""
    own = getattr(config, _EYES, None)
    if own is None or own.model_type not in _OF_TIMM:
        yield
        return
    small = SiglipVisionConfig(hidden_size=12, intermediate_size=12, num_hidden_layers=0, image_size=16)
    for name in ("model_args", "rms_norm_eps", "vocab_offset", "vocab_size"):  # of what projects its rows
        if (value := getattr(own, name, None)) is not None:
            setattr(small, name, value)
    # As plain attributes, for the configuration would refuse one of another type.
    vars(config)[_EYES] = small
    try:
        yield
    finally:
        vars(config)[_EYES] = own


@cache
def _with_media(model_class: Any) -> Any:
    """Return a subclass, under the same name, whose other modules keep their attention implementation."""
    return _subclass(model_class, {})


def _subclass(model_class: Any, members: dict[str, Any]) -> Any:
    def set_attn_implementation(self: Any, implementation: str, *args: Any, **kwargs: Any) -> None:
        # transformers warns about the configurations of what is not here, unless they are left as they are.
        text = self.config.get_text_config()
        own = [name for name in self.config.sub_configs if getattr(self.config, name, None) is text]
        chosen = dict.fromkeys(("", *own), implementation)
        model_class.set_attn_implementation(self, chosen, *args, **kwargs)

    attributes = {
        "__module__": model_class.__module__,
        "set_attn_implementation": set_attn_implementation,
        **({"forward": _forward} if model_class.__name__ == _COMPUTES_ALL_ROWS else {}),
        **members,
    }
    return type(model_class.__name__, (model_class,), attributes)


def _forward(
    self: Any,
    input_ids: Tensor | None = None,
    position_ids: Tensor | None = None,
    inputs_embeds: Tensor | None = None,
    logits_to_keep: int | Tensor = 0,
    **options: Any,
) -> CausalLMOutputWithPast:
    """Compute a model whose head is applied only to the wanted rows, as those of other types are."""
    output = self.model(
        input_ids=input_ids, position_ids=position_ids, inputs_embeds=inputs_embeds, **options
    )
    rows = slice_logits_to_keep(output.last_hidden_state, logits_to_keep)
    return CausalLMOutputWithPast(logits=self.lm_head(rows), past_key_values=output.past_key_values)


def _drop_others(model: PreTrainedModel) -> None:
    """Remove the modules next to the decoder, on every level of those that hold it."""
    decoder, head = _parts_of(model)
    holder: nn.Module = model
    while holder is not decoder:
        inner = [child for child in holder.children() if any(part is decoder for part in child.modules())]
        if len(inner) != 1:
            return
        for name, child in list(holder.named_children()):
            if child is not inner[0] and child is not head:
                delattr(holder, name)
                if model.config.model_type == _ASKS_FOR_DEVICE:
                    setattr(holder, name, _Absent())
        holder = inner[0]


def _parts_of(model: Any) -> tuple[nn.Module, nn.Module | None]:
    """Return the decoder and the head, which transformers does not annotate."""
    decoder: nn.Module = model.get_decoder()
    head: nn.Module | None = model.get_output_embeddings()
    return decoder, head
