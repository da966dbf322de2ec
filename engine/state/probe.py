"""The search for the modules that keep a recurrent state, by observing a forward pass with a cache.

transformers' modelling code reads and writes such a state through methods of its cache, in modules of many
names. The cache of this pass records which module was running when they were called, and the shapes.
"""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import LinearAttentionCacheLayerMixin
from typing_extensions import override

from engine.attention.paged_attention import observed_pass
from engine.attention.scores import Scores
from engine.attention.selection import Indexer, Selection
from engine.attention.window import Window
from engine.port.errors import NoPagedAttention
from engine.state.geometry import StateGeometry, StateKind, StateTensor

# The types of layers, as configurations name them, that keep a recurrent state.
RECURRENT_LAYER_TYPES = {"linear_attention", "conv", "hybrid", "hybrid_sliding"}
_CACHE_NAMES = ("past_key_values", "cache_params")
_NUM_TOKENS = 2  # one alone may be computed in another way


class StateModule(NamedTuple):
    """A module that keeps a state. layer: its index in the cache. cache_name: its argument for the cache."""

    module: nn.Module
    layer: int
    cache_name: str


class ObservedStates(NamedTuple):
    """The shapes of a model's recurrent state, and the modules that keep it, by layer."""

    geometry: StateGeometry
    modules: list[StateModule]


def has_recurrent_layers(model: PreTrainedModel) -> bool:
    """Return whether the model's configuration names layers that keep a recurrent state."""
    layer_types = getattr(model.config.get_text_config(), "layer_types", None) or ()
    return not RECURRENT_LAYER_TYPES.isdisjoint(layer_types)


@torch.inference_mode()
def observe_states(model: PreTrainedModel) -> ObservedStates:
    """Run a few tokens through the model, and return what is seen of its states.

    model: may have no data. Raises NoPagedAttention if the states are not kept in transformers' cache,
    module by module.
    """
    name = type(model).__name__
    parameters = inspect.signature(model.forward).parameters
    argument = next((each for each in _CACHE_NAMES if each in parameters), None)
    if argument is None:
        raise NoPagedAttention(f"{name} does not take a cache")
    running: list[tuple[nn.Module, dict[str, Any]]] = []
    cache = _RecordingCache(model, running)
    with observed_pass(_AnyAttention(), f"{name} does not run with transformers' cache"):
        ids = torch.arange(_NUM_TOKENS, device=model.device)[None]
        inputs = {"position_ids": ids} if "position_ids" in parameters else {}
        with _tracked(model, running):
            model(input_ids=ids, use_cache=True, **{argument: cache}, **inputs)
    tensors = tuple(tensor for layer in sorted(cache.keepers) for tensor in _tensors(cache, layer))
    if not tensors:
        raise NoPagedAttention(f"{name} keeps its recurrent state out of transformers' cache")
    modules = [one for layer in sorted(cache.keepers) for one in cache.keepers[layer]]
    return ObservedStates(StateGeometry(tensors), modules)


class _AnyAttention:
    """An attention of the right shape, since only states are observed."""

    def attend(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        window: Window | Selection | None,
        scores: Scores,
    ) -> Tensor:
        return value.repeat_interleave(query.shape[1] // key.shape[1], dim=1).transpose(1, 2)

    def select(self, indexer: Indexer, arguments: dict[str, Any]) -> Selection:
        return Selection(indexer.top_k)


class _RecordingCache(DynamicCache):
    """transformers' cache, which records the modules that use recurrent states.

    keepers: these modules, by the layer of their state.
    """

    def __init__(self, model: PreTrainedModel, running: list[tuple[nn.Module, dict[str, Any]]]) -> None:
        super().__init__(config=model.config)
        self.keepers: dict[int, list[StateModule]] = {}
        self._running = running

    @override
    def get_conv_state(self, layer_idx: int, state_idx: int = 0) -> Any:
        self._note(layer_idx)
        return super().get_conv_state(layer_idx, state_idx)

    @override
    def get_recurrent_state(self, layer_idx: int, state_idx: int = 0) -> Any:
        self._note(layer_idx)
        return super().get_recurrent_state(layer_idx, state_idx)

    @override
    def update_conv_state(self, conv_states: Any, layer_idx: int, state_idx: int = 0, **options: Any) -> Any:
        self._note(layer_idx)
        return super().update_conv_state(conv_states, layer_idx, state_idx, **options)

    @override
    def update_recurrent_state(
        self, recurrent_states: Any, layer_idx: int, state_idx: int = 0, **options: Any
    ) -> Any:
        self._note(layer_idx)
        return super().update_recurrent_state(recurrent_states, layer_idx, state_idx, **options)

    def _note(self, layer: int) -> None:
        module, named = self._running[-1]
        names = [name for name, value in named.items() if value is self]
        if len(names) != 1:
            raise NoPagedAttention(f"{type(module).__name__} is not given its cache by name")
        keepers = self.keepers.setdefault(layer, [])
        if module not in [one.module for one in keepers]:
            keepers.append(StateModule(module, layer, names[0]))


@contextmanager
def _tracked(model: nn.Module, running: list[tuple[nn.Module, dict[str, Any]]]) -> Iterator[None]:
    """Keep `running` the stack of the modules whose forward runs, with their named arguments."""

    def begin(module: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        running.append((module, named))

    def end(*_: Any) -> None:
        running.pop()

    handles = []
    for module in model.modules():
        handles.append(module.register_forward_pre_hook(begin, with_kwargs=True))
        handles.append(module.register_forward_hook(end))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _tensors(cache: DynamicCache, layer: int) -> Iterator[StateTensor]:
    held = cache.layers[layer]
    assert isinstance(held, LinearAttentionCacheLayerMixin)
    kinds: tuple[StateKind, ...] = ("conv_states", "recurrent_states")
    for kind in kinds:
        for index, state in getattr(held, kind).items():
            if state is not None:
                kernel_size = held.conv_kernel_size[index] if kind == "conv_states" else None
                yield StateTensor(layer, kind, index, tuple(state.shape[1:]), state.dtype, kernel_size)
