"""The numbers of a model's configuration, checked once, before anything is made of them.

transformers checks the types of most fields and the values of few. What is no size would otherwise be found
by whatever divides by it, counts with it or indexes by it, which may be compiled code.
"""

import math
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import transformers
from transformers import PreTrainedConfig
from transformers.integrations.heterogeneity.configuration_utils import AmbiguousGlobalPerLayerAttributeError
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from engine.port.errors import ModelNotSupported

_LARGEST: Final = 2**31 - 1  # which compiled code counts with
_MOST_LAYERS: Final = 1000  # of a model
_LAYERS: Final = re.compile(r"n_layers?|num(_\w+)?_layers")
_DRAFTING: Final = "num_nextn_predict_layers"  # of DeepSeek V3 and its like, which transformers does not read
_DIMENSIONS: Final = (
    "vocab_size",
    "hidden_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
)
# The names of numbers that are divided by, or that a power is taken of. Counts are not among them: many
# models say by 0 that they have none of something.
_DIVISORS: Final = frozenset(
    {
        "rope_theta", "factor", "original_max_position_embeddings", "query_pre_attn_scalar", "floor_scale",
        "n_group", "topk_group",
    }
)  # fmt: skip
# The names of numbers that may be below 0: ids of tokens, none of which is -1, and some models' bounds.
_SIGNED: Final = re.compile(
    r".*(_token_id|_token_index|_bound|_bias|_layer|_idx)|layer_types|clamp_len|chunk_size"
)
_UNBOUNDED: Final = re.compile(r".*_limit")  # which may be infinite
_FREE: Final = re.compile(r".*(theta|base)")  # which is not counted with
_LARGEST_BASE: Final = 10**18
_WINDOWS: Final = {"sliding_window": "sliding_attention", "attention_chunk_size": "chunked_attention"}
_PLAIN: Final = "default"  # a rotary embedding that is not scaled
# The names of labels, and how weights are stored, which its own reader checks.
_OTHER: Final = frozenset({"id2label", "label2id", "quantization_config"})


def check_layers(directory: Path, raw: dict[str, Any]) -> None:
    """Raise ModelNotSupported for more layers than models have, of some of which transformers makes a list.

    raw: config.json.
    """
    for name, number in _numbers(raw):
        if _LAYERS.fullmatch(name.rpartition(".")[2]) and number > _MOST_LAYERS:
            _refuse(directory, name, f"at most {_MOST_LAYERS}", number)


def check_config(directory: Path, config: PreTrainedConfig) -> None:
    """Raise ModelNotSupported for a number in a model's config that no such model can have, or a rotary
    embedding that is not known.

    config: of the part that computes text.
    """
    for name, size in (("num_hidden_layers", config.num_hidden_layers), *sizes(config)):
        if isinstance(size, int) and size < 1:
            _refuse(directory, name, "at least 1", size)
    for name, number in _numbers(config.to_dict()):
        last = name.rpartition(".")[2]
        if isinstance(number, float) and not math.isfinite(number):
            if math.isnan(number) or not _UNBOUNDED.fullmatch(last):
                _refuse(directory, name, "a finite number", number)
        elif number < 0 and not _SIGNED.fullmatch(last) and last not in _WINDOWS:
            _refuse(directory, name, "0 or more", number)
        elif isinstance(number, int) and number > (most := _most(last)):
            _refuse(directory, name, f"at most {most}", number)
        elif number == 0 and last in _DIVISORS:
            _refuse(directory, name, "above 0", number)
    drafting = getattr(config, _DRAFTING, None)
    if drafting is not None and not isinstance(drafting, int):
        _refuse(directory, _DRAFTING, "a whole number, or null for none", drafting)
    _check_windows(directory, config)
    _check_rotary_embeddings(directory, config)


def sizes(config: PreTrainedConfig) -> Iterator[tuple[str, int]]:
    """Yield the name and size of each dimension; of each layer where layers differ in it, as in Gemma 4."""
    for name in _DIMENSIONS:
        try:
            found = [getattr(config, name, None)]
        except AmbiguousGlobalPerLayerAttributeError:
            found = [getattr(layer, name, None) for layer in islice(config.per_layer_config, _MOST_LAYERS)]
        yield from ((name, size) for size in found if isinstance(size, int))


def _check_windows(directory: Path, config: PreTrainedConfig) -> None:
    """Refuse a window of no tokens, unless no layer has a window: some classes write 0 for none."""
    types = getattr(config, "layer_types", None)
    for name, kind in _WINDOWS.items():
        size = getattr(config, name, 1)
        if types is not None and kind in types and (size is None or size < 1):
            _refuse(directory, name, f"at least 1 for layers of {kind}", size)
        if types is None and size is not None and size < 1:
            _refuse(directory, name, "at least 1, or null for none", size)


def _check_rotary_embeddings(directory: Path, config: PreTrainedConfig) -> None:
    rope = getattr(config, "rope_parameters", None)
    if not isinstance(rope, dict):
        return
    for each in (rope, *(part for part in rope.values() if isinstance(part, dict))):
        kind, known = each.get("rope_type", _PLAIN), (_PLAIN, *ROPE_INIT_FUNCTIONS)
        if kind not in known:
            raise ModelNotSupported(
                f"{directory}/config.json: its rotary embedding has the rope_type {kind!r}, which "
                f"transformers {transformers.__version__} does not know; it has {', '.join(known)}"
            )


def _numbers(config: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each number, those of objects and lists within included."""
    for key, value in config.items():
        name = f"{before}{key}"
        if key in _OTHER:
            continue
        if isinstance(value, dict):
            yield from _numbers(value, f"{name}.")
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, int | float) and not isinstance(each, bool):
                yield name, each


def _most(name: str) -> int:
    return _LARGEST_BASE if _FREE.fullmatch(name) else _LARGEST


def _refuse(directory: Path, name: str, wanted: str, found: object) -> None:
    raise ModelNotSupported(f"{directory}/config.json: {name} must be {wanted}, and is {str(found)[:50]}")
