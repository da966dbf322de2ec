"""transformers' own cache of one sequence, of whatever class, and the calls of a model that use it."""

import inspect
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from transformers import Cache, DynamicCache, PreTrainedConfig, PreTrainedModel
from transformers.cache_utils import DynamicSlidingWindowLayer

from engine.port.errors import ModelNotSupported

# The names under which models take their cache, and return it, as transformers' `generate` knows them.
_CACHE_NAMES: Final = ("past_key_values", "cache_params", "state", "mems", "past_buckets_states")
_NUM_TOKENS: Final = 2  # of a trial

_Attribute = tuple[nn.Module, str]


@dataclass(slots=True)
class OwnCache:
    """The cache of one sequence, and the attributes in which modules keep what is not in it.

    held: as the model returned it; None before its first pass, if the model makes its own. num_tokens: those
    that it has seen.
    """

    held: Any
    attributes: dict[_Attribute, Any]
    num_tokens: int = 0

    def copy(self) -> "OwnCache":
        """Return a cache that shares no memory with this one."""
        attributes = {place: deepcopy(value) for place, value in self.attributes.items()}
        return OwnCache(deepcopy(self.held), attributes, self.num_tokens)

    @property
    def windows(self) -> set[int]:
        """The numbers of tokens that layers keep which drop the others."""
        layers = getattr(self.held, "layers", ()) if isinstance(self.held, Cache) else ()
        return {layer.sliding_window for layer in layers if isinstance(layer, DynamicSlidingWindowLayer)}

    @property
    def num_bytes(self) -> int:
        """The memory of its tensors, each storage counted once."""
        storages = [tensor.untyped_storage() for tensor in _tensors([self.held, *self.attributes.values()])]
        return sum({storage._cdata: storage.nbytes() for storage in storages}.values())


class CachedModel:
    """A model that computes a sequence in parts, given its own cache with each."""

    def __init__(self, model: PreTrainedModel) -> None:
        """Find out how the model takes its cache. Raises ModelNotSupported if it takes none."""
        self._model: Any = model
        self._arguments = inspect.signature(model.forward).parameters
        names = [name for name in _CACHE_NAMES if name in self._arguments]
        if not names:
            raise ModelNotSupported(f"{type(model).__name__} takes no cache")
        self._cache_name = names[0]
        self._initial: dict[_Attribute, Any] = {}
        self._initial = self._find_attributes()

    @property
    def device(self) -> torch.device:
        device: torch.device = self._model.device
        return device

    def new_cache(self) -> OwnCache:
        """Return the cache of a sequence that begins, of the class that `generate` would choose."""
        held = None
        if self._model._supports_default_dynamic_cache():
            held = DynamicCache(config=self._model.config.get_text_config(decoder=True))
        return OwnCache(held, dict(self._initial))

    @torch.inference_mode()
    def compute(
        self, cache: OwnCache, input_ids: Tensor, rows: Tensor, encoded: Tensor | None = None
    ) -> Tensor:
        """Compute the next tokens of a sequence, and return raw logits [len(rows), vocab_size].

        input_ids: int64 [num_tokens]. rows: int64, those of the tokens whose logits are wanted. encoded: the
        encoder's output for the sound that a sequence is about, which begins here; None for others.
        """
        num_tokens = len(input_ids)
        options: dict[str, Any] = {self._cache_name: cache.held, "use_cache": True}
        if encoded is not None:
            options["encoder_hidden_states"] = encoded
        if "position_ids" in self._arguments:
            first = cache.num_tokens
            options["position_ids"] = torch.arange(first, first + num_tokens, device=input_ids.device)[None]
        chooses_rows = "logits_to_keep" in self._arguments
        if chooses_rows:
            options["logits_to_keep"] = rows
        for (module, name), value in cache.attributes.items():
            setattr(module, name, value)
        output = self._model(input_ids=input_ids[None], **options)
        cache.attributes = {(module, name): getattr(module, name) for module, name in cache.attributes}
        cache.held = next((output[name] for name in _CACHE_NAMES if name in output), cache.held)
        cache.num_tokens += num_tokens
        logits: Tensor = output.logits[0]
        return logits if chooses_rows else logits[rows]

    def _find_attributes(self) -> dict[_Attribute, Any]:
        """Return the attributes of modules that each pass sets, with None, from which they begin.

        RecurrentGemma keeps its recurrent state so.
        """
        passes = []
        for _ in range(2):  # the first may set what stays
            ids = torch.arange(_NUM_TOKENS, device=self._model.device)
            self.compute(self.new_cache(), ids, ids)
            passes.append(_tensor_attributes(self._model))
        first, second = passes
        return {place: None for place, value in second.items() if first.get(place) is not value}


def _tensor_attributes(model: nn.Module) -> dict[_Attribute, Tensor]:
    """Return the plain attributes of modules that are tensors: no parameters, no buffers."""
    return {
        (module, name): value
        for module in model.modules()
        for name, value in vars(module).items()
        if isinstance(value, Tensor)
    }


def _tensors(value: Any, seen: set[int] | None = None) -> Iterator[Tensor]:
    """Yield the tensors in a cache, wherever its objects hold them."""
    seen = set() if seen is None else seen
    if id(value) in seen or isinstance(value, nn.Module | PreTrainedConfig | type):
        return
    seen.add(id(value))
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _tensors(one, seen)
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from _tensors(one, seen)
    elif hasattr(value, "__dict__"):
        yield from _tensors(vars(value), seen)
