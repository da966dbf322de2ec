"""The loading of a checkpoint's weights, which must be exactly those that its config.json describes."""

import logging
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel

from engine.attention.paged_attention import ATTENTION_NAME
from engine.config import EngineConfig
from engine.errors import ModelNotSupported
from engine.model.loading.progress import progress_lines

_MAX_NAMED = 3  # weights that a message names
_LAYER_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")


def read_weights(
    directory: Path,
    model_config: PreTrainedConfig,
    dtype: torch.dtype,
    config: EngineConfig,
    on_progress: Callable[[str], None],
) -> PreTrainedModel:
    """Return the model, on the host.

    Raises ModelNotSupported if the weights cannot be read, if some are missing or have other shapes, so that
    transformers would initialise random ones, or if there are more layers than the config says.
    """
    auto: Any = AutoModelForCausalLM  # its annotation has only the model
    try:
        with progress_lines(on_progress), _no_report():
            model, found = auto.from_pretrained(
                directory,
                config=model_config,
                dtype=dtype,
                attn_implementation=ATTENTION_NAME,
                trust_remote_code=config.trust_remote_code,
                ignore_mismatched_sizes=True,  # they are reported below, by name
                output_loading_info=True,
            )
    except Exception as error:  # torch, safetensors, pickle and modelling code raise all kinds
        raise ModelNotSupported(f"the weights in {directory} cannot be loaded: {one_line(error)}") from error
    if not isinstance(model, PreTrainedModel):
        raise ModelNotSupported(f"{directory} holds a {type(model).__name__}, which is no transformers model")
    _check_complete(directory, model, found)
    _check_layers(directory, model, found["unexpected_keys"])
    return model


def one_line(error: Exception) -> str:
    """Return the text of another library's exception on one line, to be part of a message."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]


def _check_complete(directory: Path, model: PreTrainedModel, found: dict[str, Any]) -> None:
    if wrong := sorted(found["mismatched_keys"]):
        name, stored, expected = wrong[0]
        others = f", and {len(wrong) - 1} more have other shapes too" if len(wrong) > 1 else ""
        raise ModelNotSupported(
            f"the weights in {directory} do not fit its config.json: {name} is {list(stored)}, "
            f"which should be {list(expected)}{others}"
        )
    if found["missing_keys"]:
        raise ModelNotSupported(
            f"the weights in {directory} lack what its config.json describes: {_named(found['missing_keys'])}"
        )


def _check_layers(directory: Path, model: PreTrainedModel, unexpected: Collection[str]) -> None:
    """Raise ModelNotSupported for layers that would be ignored; unused heads for other tasks are accepted."""
    config = model.config.get_text_config()
    num_layers = int(config.num_hidden_layers)
    # Layers for multi-token prediction come after the model's own (DeepSeek-V3, section 2.2).
    num_drafting = int(getattr(config, "num_nextn_predict_layers", None) or 0)
    names = set(model.state_dict())
    surplus = [
        name
        for name in unexpected
        if (number := _LAYER_NUMBER.search(name))
        and int(number[0]) >= num_layers + num_drafting
        and _LAYER_NUMBER.sub("0", name, count=1) in names
    ]
    if surplus:
        raise ModelNotSupported(
            f"the weights in {directory} have more layers than its config.json, which says {num_layers}: "
            f"{_named(surplus)}"
        )


def _named(names: Collection[str]) -> str:
    shown = ", ".join(sorted(names)[:_MAX_NAMED])
    return shown + (f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else "")


@contextmanager
def _no_report() -> Iterator[None]:
    """Suppress transformers' log messages about weights, such as a long table of mismatched ones."""
    log = logging.getLogger("transformers")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)
