"""The loading of a checkpoint's weights, which must be exactly those that its config.json describes."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.pytorch_utils import Conv1D

from engine.attention.paged_attention import ATTENTION_NAME, EAGER
from engine.config import EngineConfig
from engine.model.loading.checkpoint.complete import check_complete
from engine.model.loading.gguf.description import is_described
from engine.model.loading.gguf.model_tensors import sources_of
from engine.model.loading.gguf.named_file import LINK
from engine.model.loading.gguf.stored_weights import unread_weights
from engine.model.loading.progress import progress_lines
from engine.model.loading.quantized.checkpoint import QuantizedCheckpoint
from engine.model.loading.refusals import refusals, silent
from engine.model.loading.text_part import plain_class, reading_class, split_media, text_model
from engine.model.loading.unread_linears import check_stand_ins, put_stand_ins
from engine.port.errors import ModelNotSupported
from engine.weights.unread_weight import UnreadWeight


class ReadModel(NamedTuple):
    """A model that was read, or made without its data.

    media: the modules for what is no text, as `split_media` returns them; None if they are not wanted.
    """

    text: PreTrainedModel
    media: PreTrainedModel | None

    @classmethod
    def of(cls, model: PreTrainedModel, *, keeps_media: bool) -> "ReadModel":
        """Split a whole model into its parts. keeps_media: whether it has modules for what is no text."""
        media = split_media(model) if keeps_media else None
        return cls(text_model(model), media)

    @property
    def num_parameters(self) -> int:
        """The number of parameters, tied ones counted once, with those of `media`."""
        of_media = () if self.media is None else self.media.parameters()
        return self.text.num_parameters() + sum(parameter.numel() for parameter in of_media)


def read_weights(
    directory: Path,
    model_config: PreTrainedConfig,
    dtype: torch.dtype,
    config: EngineConfig,
    on_progress: Callable[[str], None],
    *,
    device: torch.device,
    attends_paged: bool,
    keeps_media: bool = False,
    quantized: QuantizedCheckpoint | None,
    unread: Mapping[str, UnreadWeight],
) -> ReadModel:
    """Return the model; of a model that reads more than text, the part for text.

    device: each weight is copied there once it is read, so that no more than a few are on the host, unless it
    is the host. attends_paged: whether it is to attend over pages, or else by its own code. keeps_media:
    whether the modules for what is no text are read too. quantized: the checkpoint, if it is; each weight is
    unpacked when transformers reads it. unread: by name, weights of linear layers that are not read; zeros
    that take no memory are in their place.
    Raises ModelNotSupported if the weights cannot be read, or are not those that the config describes.
    """
    known: Any = reading_class(model_config, keeps_media=keeps_media)
    source: dict[str, Any] = {"pretrained_model_name_or_path": directory}
    if quantized is not None:
        known = plain_class(
            model_config,
            directory,
            trust_remote_code=config.trust_remote_code,
            keeps_media=keeps_media,
        )
        if known.config_class is type(model_config.get_text_config()):
            model_config = model_config.get_text_config()
        source = {
            "pretrained_model_name_or_path": None,
            "state_dict": put_stand_ins(quantized.read(dtype), unread, dtype),
        }
    elif is_described(directory):
        known = plain_class(model_config, directory, trust_remote_code=config.trust_remote_code)
        weights = unread_weights(
            (directory / LINK).readlink(), sources_of(directory, model_config), model_config, dtype
        )
        source = {"pretrained_model_name_or_path": None, "state_dict": put_stand_ins(weights, unread, dtype)}
    with refusals(directory), progress_lines(on_progress), silent():
        model, found = known.from_pretrained(
            **source,
            config=model_config,
            dtype=dtype,
            attn_implementation=ATTENTION_NAME if attends_paged else EAGER,
            trust_remote_code=config.trust_remote_code,
            device_map=None if device.type == "cpu" else {"": device},
            ignore_mismatched_sizes=True,  # they are reported below, by name
            output_loading_info=True,
        )
    if not isinstance(model, PreTrainedModel):
        raise ModelNotSupported(f"{directory} holds a {type(model).__name__}, which is no transformers model")
    if quantized is not None:
        _check_orientation(directory, model)
    check_complete(directory, model, found, on_progress)
    check_stand_ins(model, unread)
    return ReadModel.of(model, keeps_media=keeps_media)


def _check_orientation(directory: Path, model: PreTrainedModel) -> None:
    """Raise ModelNotSupported for layers whose weights have their inputs first, as GPT-2's.

    Quantized, they have their outputs first in some formats and not in others.
    """
    if any(isinstance(module, Conv1D) for module in model.modules()):
        raise ModelNotSupported(
            f"the weights in {directory} are quantized, and {type(model).__name__} keeps its own with inputs "
            "first, of which no quantized ones are unpacked"
        )
