"""The fusion of decoder layers: finding those that `FusedLayer` can replace, and comparing the results.

A layer is recognised by its submodules. Their code is not examined: the layer and its replacement both
compute a small batch, and a layer whose outputs differ stays as it was.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel
from transformers.activations import SiLUActivation
from typing_extensions import override

from engine.attention.backend import Attention
from engine.attention.paged_attention import current_attention
from engine.attention.scores import Scores
from engine.attention.selection import Indexer, Selection
from engine.attention.window import Window
from engine.fusion.fused_layer import FusedLayer
from engine.fusion.layer_parts import LayerParts
from engine.fusion.native_layer import RmsNorm, Rotary
from engine.linear.merged_linear import MergedLinear, MergedPart
from engine.model.checks.reference_pass import is_same, relative_difference
from engine.model.checks.tolerance import LAYER
from engine.native.obstacles import find_obstacle
from engine.port.info.kernels import Kernel, Obstacle, kernel_of_layers

_LIKE_A_LAYER = {"self_attn"}
_LAYER = {"self_attn", "mlp", "input_layernorm", "post_attention_layernorm"}
_QKV, _GATE_UP = ("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj")
_ATTENTION = {*_QKV, "o_proj"}
_HEAD_NORMS = {"q_norm", "k_norm"}
_MLP = {*_GATE_UP, "down_proj", "act_fn"}

_Place = tuple[nn.Module, str]  # a parent, and the name of its child


@torch.inference_mode()
def fuse_layers(model: PreTrainedModel, run: Callable[[], Tensor], *, is_quantized: bool = False) -> Kernel:
    """Replace the layers that can be fused, and report how many, and why not the others.

    run: computes a few tokens with paged attention, and returns their logits [num_tokens, vocab_size].
    """
    layers = _decoder_layers(model)

    def report(num_fused: int, obstacle: Obstacle) -> Kernel:
        return kernel_of_layers("layer_fusion", num_fused, len(set(layers.values())), obstacle)

    if (obstacle := find_obstacle(model.device, model.dtype)) is not None:
        return report(0, obstacle)
    unknown = {place: _unknown_part(layer, model.dtype, _are_merged) for place, layer in layers.items()}
    trials = {
        place: _Trial(layer, is_quantized=is_quantized)
        for place, layer in layers.items()
        if unknown[place] is None
    }
    if not trials:
        return report(0, _unlike(unknown.values()))
    expected = _logits_on_trial(trials, run)
    fused = {place: trial.fused for place, trial in trials.items() if trial.fused is not None}
    _put(fused)
    if fused and not is_same(relative_difference(run(), expected), model.dtype, is_quantized=is_quantized):
        _put({place: layers[place] for place in fused})
        return report(0, Obstacle("the model's logits differ from those of its own layers", is_lack=True))
    kept = [trial.obstacle for trial in trials.values() if trial.obstacle is not None]
    others = max(kept, key=lambda each: each.is_lack, default=_unlike(unknown.values()))
    return report(len(fused), others)


def expected_fusion(
    model: PreTrainedModel,
    device: torch.device,
    mergeable: Mapping[nn.Module, Collection[tuple[str, ...]]],
) -> Kernel:
    """Return what `fuse_layers` would report if each layer that it tries computes what it should.

    model: may have no data. device: the one that it would be on. mergeable: as of `find_mergeable`.
    """
    layers = _decoder_layers(model).values()

    def can_merge(parent: nn.Module, *names: str) -> bool:
        return names in mergeable.get(parent, ())

    obstacle = find_obstacle(device, model.dtype)
    unknown = [_unknown_part(layer, model.dtype, can_merge) for layer in layers]
    num_fused = 0 if obstacle else unknown.count(None)
    return kernel_of_layers("layer_fusion", num_fused, len(unknown), obstacle or _unlike(unknown))


def _unlike(unknown: Iterable[str | None]) -> Obstacle:
    """Return why not all layers are tried. unknown: as of `_unknown_part`, of each layer."""
    return Obstacle(next(filter(None, unknown), "it has no layers like Llama's"))


def _decoder_layers(model: PreTrainedModel) -> dict[_Place, nn.Module]:
    return {
        (parent, name): child
        for parent in model.modules()
        for name, child in parent.named_children()
        if _names(child) >= _LIKE_A_LAYER
    }


def _logits_on_trial(trials: "Mapping[_Place, _Trial]", run: Callable[[], Tensor]) -> Tensor:
    """Return the logits of a pass in which each layer is compared with its replacement."""
    _put(trials)
    try:
        return run()
    finally:
        _put({place: trial.layer for place, trial in trials.items()})


def _put(modules: Mapping[_Place, nn.Module]) -> None:
    for (parent, name), module in modules.items():
        setattr(parent, name, module)


class _Trial(nn.Module):
    """A layer on trial: it computes the layer and its replacement, and compares them.

    fused: the replacement, as long as both agree; obstacle: the reason if there is none.
    """

    def __init__(self, layer: nn.Module, *, is_quantized: bool) -> None:
        super().__init__()
        self.layer = layer
        self._is_quantized = is_quantized
        self.fused: FusedLayer | None = None
        self.obstacle: Obstacle | None = None

    @override
    def forward(self, hidden_states: Tensor, *args: Any, **kwargs: Any) -> Any:
        before = hidden_states.clone()
        observer = _Observer(current_attention.get())
        token = current_attention.set(observer)
        try:
            expected = self.layer(hidden_states, *args, **kwargs)
        finally:
            current_attention.reset(token)
        if self.fused is None and self.obstacle is None:
            parts = _parts(self.layer, observer)
            self.fused = None if parts is None else FusedLayer(self.layer, parts)
            if self.fused is None:
                self.obstacle = Obstacle("their attention is not like Llama's")
        if self.fused is not None:
            self.obstacle = self._compare(self.fused, expected, before, kwargs)
            if self.obstacle is not None:
                self.fused = None
        return expected

    def _compare(
        self, fused: FusedLayer, expected: Any, hidden_states: Tensor, kwargs: dict[str, Any]
    ) -> Obstacle | None:
        positions = kwargs.get("position_embeddings")
        if not isinstance(expected, Tensor) or not fused.takes(hidden_states, positions):
            return Obstacle("their inputs or outputs are not like those of Llama's layers")
        actual = fused(hidden_states, **kwargs)
        tolerance = LAYER.for_dtype(expected.dtype, is_quantized=self._is_quantized)
        # The change that a layer makes to its input may be smaller than the rounding of their sum.
        change = (expected - hidden_states).float().norm(dim=-1)
        rounding = torch.finfo(expected.dtype).eps / 2 * expected.float().norm(dim=-1)
        difference = (actual - expected).float().norm(dim=-1)
        if (difference <= tolerance * change + rounding).all():
            return None
        return Obstacle("outputs differ from those of the model's own layers", is_lack=True)


class _Call(NamedTuple):
    """The arguments with which a layer called attention."""

    query: Tensor
    key: Tensor
    window: Window | Selection | None
    scores: Scores


class _Observer:
    """An attention that records the arguments of each call, and passes the call on."""

    def __init__(self, attention: Attention) -> None:
        self._attention = attention
        self.calls: list[_Call] = []

    def attend(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        window: Window | Selection | None,
        scores: Scores,
    ) -> Tensor:
        self.calls.append(_Call(query, key, window, scores))
        return self._attention.attend(module, query, key, value, window, scores)

    def select(self, indexer: Indexer, arguments: dict[str, Any]) -> Selection:
        return self._attention.select(indexer, arguments)


def _names(module: nn.Module) -> set[str]:
    return {name for name, _ in module.named_children()}


def _unknown_part(layer: nn.Module, dtype: torch.dtype, are_merged: Callable[..., bool]) -> str | None:
    """Return the way in which a layer's modules differ from Llama's; None if all of them are known.

    are_merged: whether the children of a module with these names, in this order, are one product.
    """
    if _names(layer) != _LAYER:
        return "its layers are not made like Llama's"
    attention, mlp = layer.get_submodule("self_attn"), layer.get_submodule("mlp")
    if _names(attention) not in (_ATTENTION, _ATTENTION | _HEAD_NORMS):
        return "its attention is not made like Llama's or Qwen3's"
    if _names(mlp) != _MLP or not isinstance(mlp.get_submodule("act_fn"), SiLUActivation | nn.SiLU):
        return "its MLP is no SwiGLU"
    if not are_merged(attention, *_QKV) or not are_merged(mlp, *_GATE_UP):
        return "its products could not be merged"
    norms = [layer.get_submodule(name) for name in ("input_layernorm", "post_attention_layernorm")]
    norms += [child for name, child in attention.named_children() if name in _HEAD_NORMS]
    return None if all(_is_norm(norm, dtype) for norm in norms) else "its norms are not like Llama's"


def _are_merged(parent: nn.Module, *names: str) -> bool:
    return _merged(parent, *names) is not None


def _merged(parent: nn.Module, *names: str) -> MergedLinear | None:
    """Return the merged linear with exactly these children as its parts, in this order; else None."""
    parts = [parent.get_submodule(name) for name in names]
    merged = [part.merged for part in parts if isinstance(part, MergedPart)]
    is_whole = len(merged) == len(parts) == len(merged[0].sizes) and len(set(merged)) == 1
    in_order = [part.index for part in parts if isinstance(part, MergedPart)] == list(range(len(parts)))
    return merged[0] if is_whole and in_order else None


def _is_norm(module: nn.Module, dtype: torch.dtype) -> bool:
    weight, epsilon = getattr(module, "weight", None), getattr(module, "variance_epsilon", None)
    has_weight = isinstance(weight, Tensor) and weight.dim() == 1 and weight.dtype == dtype
    return has_weight and isinstance(epsilon, float)


def _norm(module: Any) -> RmsNorm:
    return RmsNorm(module.weight, module.variance_epsilon)


def _parts(layer: nn.Module, observer: _Observer) -> LayerParts | None:
    """Return the parts of a layer of known modules; None if a fused layer does not support its attention."""
    attention, mlp = layer.get_submodule("self_attn"), layer.get_submodule("mlp")
    qkv, gate_up = _merged(attention, *_QKV), _merged(mlp, *_GATE_UP)
    assert qkv is not None and gate_up is not None
    if len(observer.calls) != 1:
        return None
    call = observer.calls[0]
    if isinstance(call.window, Selection):
        return None
    num_query_heads, num_key_heads, dim = call.query.shape[1], call.key.shape[1], call.query.shape[3]
    if qkv.sizes != [num_query_heads * dim, num_key_heads * dim, num_key_heads * dim] or dim % 2:
        return None
    head_norms = None
    if _names(attention) >= _HEAD_NORMS:
        head_norms = _norm(attention.q_norm), _norm(attention.k_norm)
    linears = (
        tuple(attention.get_submodule(name) for name in _QKV),
        (attention.get_submodule("o_proj"),),
        tuple(mlp.get_submodule(name) for name in _GATE_UP),
        (mlp.get_submodule("down_proj"),),
    )
    return LayerParts(
        before_attention=_norm(layer.input_layernorm),
        qkv=qkv.linear,
        sizes=qkv.sizes,
        dim=dim,
        rotary=Rotary(num_query_heads, num_key_heads, dim, head_norms),
        attention=attention,
        window=call.window,
        scores=call.scores,
        output=linears[1][0],
        before_mlp=_norm(layer.post_attention_layernorm),
        gate_up=gate_up.linear,
        down=linears[3][0],
        linears=linears,
    )
