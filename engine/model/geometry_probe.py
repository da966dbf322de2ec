"""The search for the shapes of a model's keys and values, by observing a forward pass of one token."""

import inspect
from contextlib import nullcontext
from typing import Any

import torch
from msgspec.structs import replace
from torch import Tensor, nn
from transformers import DynamicCache, PreTrainedConfig, PreTrainedModel
from transformers.cache_utils import DynamicSlidingWindowLayer

from engine.attention.kv_cache.geometry import (
    IndexGeometry,
    KVGeometry,
    LayerGeometry,
    QueryGeometry,
)
from engine.attention.paged_attention import ATTENTION_NAME, observed_pass
from engine.attention.scores import Scores
from engine.attention.selection import IndexCache, Indexer, Selection
from engine.attention.window import Window
from engine.model.mask_windows import windows_recorded
from engine.port.errors import NoPagedAttention

# The types of layers, as configurations name them, whose tokens see a window, and those that do not attend.
_WITH_WINDOW = {"sliding_attention", "chunked_attention"}
_LARGEST = 2**31
_WITHOUT_ATTENTION = {"linear_attention", "conv", "mlp", "moe"}


def _slides(text_config: PreTrainedConfig, layer: int) -> bool:
    """Return whether transformers' cache keeps a sliding window of a layer's keys."""
    layers = DynamicCache(config=text_config).layers
    return layer < len(layers) and isinstance(layers[layer], DynamicSlidingWindowLayer)


class _Observer:
    """The attention of a single token to itself, which records the shapes that each layer would cache."""

    def __init__(self, layer_types: list[str]) -> None:
        self.calls: list[LayerGeometry] = []
        self._index_keys: dict[int, IndexGeometry] = {}
        self._layer_types = layer_types

    def attend(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        window: Window | Selection | None,
        scores: Scores,
    ) -> Tensor:
        index = getattr(module, "layer_idx", None)
        if not isinstance(index, int):
            raise NoPagedAttention(f"{type(module).__name__} does not say which layer it is")
        if not getattr(module, "is_causal", True):
            raise NoPagedAttention(f"{type(module).__name__} is not marked as causal")
        if self._layer_types[index] in _WITH_WINDOW and window is None:
            raise NoPagedAttention(f"{type(module).__name__} does not tell its sliding window")
        if self._layer_types[index] == "indexed_attention" and not isinstance(window, Selection):
            raise NoPagedAttention(f"{type(module).__name__} does not tell which keys its index chose")
        if isinstance(window, Window) and not 0 < window.size < _LARGEST:  # compiled code counts with it
            raise NoPagedAttention(f"{type(module).__name__} attends to {window.in_words()}")
        self.calls.append(
            LayerGeometry(
                index,
                key.shape[1],
                key.shape[-1],
                value.shape[-1],
                None if isinstance(window, Selection) else window,
                window.top_k if isinstance(window, Selection) else None,
                self._index_keys.get(index),
                QueryGeometry(query.shape[1], scores.softcap is not None, scores.sinks is not None),
            )
        )
        group = query.shape[1] // key.shape[1]
        return value.repeat_interleave(group, dim=1).transpose(1, 2)

    def select(self, indexer: Indexer, arguments: dict[str, Any]) -> Selection:
        def note(index_keys: Tensor) -> Tensor:
            self._index_keys[indexer.layer] = IndexGeometry(index_keys.shape[-1], index_keys.dtype)
            return index_keys

        mask = torch.zeros(1, 1, 1, device=arguments["hidden_states"].device)
        indexer.forward(**{**arguments, "attention_mask": mask, "past_key_values": IndexCache(note)})
        return Selection(indexer.top_k)


@torch.inference_mode()
def observe_geometry(model: PreTrainedModel) -> KVGeometry:
    """Run one token through the model, and return the shapes of its keys and values.

    Raises NoPagedAttention if a layer does not use paged attention, or the model does not run on a flat
    batch.
    """
    text_config = model.config.get_text_config()
    layer_types = (
        getattr(text_config, "layer_types", None) or ["full_attention"] * text_config.num_hidden_layers
    )
    observer = _Observer(layer_types)
    with observed_pass(observer, f"{type(model).__name__} does not run on a flat batch"):
        zero = torch.zeros(1, 1, dtype=torch.int64, device=model.device)
        takes_positions = "position_ids" in inspect.signature(model.forward).parameters
        positions = {"position_ids": zero} if takes_positions else {}
        # transformers looks into the positions before it makes a mask, which a model without data has not.
        has_data = model.device.type != "meta"
        with windows_recorded(ATTENTION_NAME) if has_data else nullcontext(set[int | None]()) as windows:
            model(input_ids=zero, **positions, use_cache=False, logits_to_keep=zero[0])
    attending = {index for index, kind in enumerate(layer_types) if kind not in _WITHOUT_ATTENTION}
    called = {call.index for call in observer.calls}
    is_by_call = len(called) < len(observer.calls)
    if is_by_call and any(call.index_keys for call in observer.calls):
        raise NoPagedAttention(f"{type(model).__name__} has an index, and layers that attend several times")
    # Stacks that are computed several times count as so many layers, whose modules share their numbers.
    if called != attending and not (is_by_call and len(observer.calls) == len(attending)):
        raise NoPagedAttention(f"{type(model).__name__} has layers without paged attention")
    # Models that name their layers' types make the masks of all types, used or not.
    masked = set() if getattr(text_config, "layer_types", None) else windows
    attended = {None if call.window is None else call.window.size for call in observer.calls}
    if not masked <= attended or any(
        call.window is None and _slides(text_config, call.index) for call in observer.calls
    ):
        raise NoPagedAttention(
            f"{type(model).__name__} has a sliding window that its attention does not tell"
        )
    if is_by_call:
        layers = tuple(replace(call, index=number) for number, call in enumerate(observer.calls))
    else:
        layers = tuple(sorted(observer.calls, key=lambda call: call.index))
    return KVGeometry(layers, model.dtype, is_by_call)
