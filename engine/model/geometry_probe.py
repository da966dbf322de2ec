"""The search for the shapes of a model's keys and values, by observing a forward pass of one token."""

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.attention.kv_geometry import KVGeometry, LayerGeometry
from engine.attention.paged_attention import current_attention
from engine.attention.scores import Scores
from engine.errors import EngineError, ModelNotSupported


class _Observer:
    """The attention of a single token to itself, which records the shapes that each layer would cache."""

    def __init__(self, layer_types: list[str] | None) -> None:
        self.layers: dict[int, LayerGeometry] = {}
        self._layer_types = layer_types

    def attend(
        self, module: nn.Module, query: Tensor, key: Tensor, value: Tensor, window: int | None, scores: Scores
    ) -> Tensor:
        index = getattr(module, "layer_idx", None)
        if not isinstance(index, int) or index in self.layers:
            raise ModelNotSupported(f"{type(module).__name__} does not say which layer it is")
        if not getattr(module, "is_causal", True):
            raise ModelNotSupported(f"{type(module).__name__} looks ahead: its attention is not causal")
        if self._layer_types and self._layer_types[index] == "sliding_attention" and window is None:
            raise ModelNotSupported(f"{type(module).__name__} does not tell its sliding window")
        self.layers[index] = LayerGeometry(index, key.shape[1], key.shape[-1], value.shape[-1])
        group = query.shape[1] // key.shape[1]
        return value.repeat_interleave(group, dim=1).transpose(1, 2)


@torch.inference_mode()
def observe_geometry(model: PreTrainedModel) -> KVGeometry:
    """Run one token through the model, and return the shapes of its keys and values.

    Raises ModelNotSupported if a layer does not use paged attention, or the model does not run on a flat
    batch.
    """
    text_config = model.config.get_text_config()
    observer = _Observer(getattr(text_config, "layer_types", None))
    token = current_attention.set(observer)
    try:
        zero = torch.zeros(1, 1, dtype=torch.int64, device=model.device)
        model(input_ids=zero, position_ids=zero, use_cache=False, logits_to_keep=zero[0])
    except EngineError:
        raise
    except Exception as error:  # whatever modelling code raises where something is missing
        raise ModelNotSupported(f"{type(model).__name__} does not run on a flat batch: {error}") from error
    finally:
        current_attention.reset(token)
    if sorted(observer.layers) != list(range(text_config.num_hidden_layers)):
        raise ModelNotSupported(f"{type(model).__name__} has layers without paged attention")
    layers = tuple(observer.layers[index] for index in sorted(observer.layers))
    return KVGeometry(layers, model.dtype)
