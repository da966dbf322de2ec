"""A decoder layer whose small operations are compiled: norms, rotary embedding, activation.

It replaces about fifty calls of torch, and the Python around them, in the modelling code of Llama, Mistral,
Qwen2, Qwen3 and similar models. Products are computed by the layer's own linears, attention by
`current_attention`. engine/fusion/layer_fusion.py finds the layers that it can replace.
"""

from typing import Any, Self

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.attention.native_decode import decode_obstacle
from engine.attention.paged_attention import ATTENTION_NAME, current_attention
from engine.fusion.decoder_stack import DecoderStack
from engine.fusion.layer_parts import LayerParts
from engine.fusion.native_layer import swiglu
from engine.fusion.native_layer_end import join_end
from engine.fusion.native_weight import native_weights
from engine.model.adapters import current_adapters
from engine.native.obstacles import name_of
from engine.port.info.kernels import Obstacle


class FusedLayer(nn.Module):
    """The replacement of a decoder layer, which it keeps for its linears and for unpaged attention.

    end: the part after attention as one call; None if its products are not compiled. leads: the stack of
    which it is the first layer, if any. takes_adapters: whether it computes batches with adapters, which
    change the outputs of its linears as these are called; else the layer does.
    """

    def __init__(self, layer: nn.Module, parts: LayerParts) -> None:
        super().__init__()
        self.layer = layer
        self.parts = parts
        self._config: Any = parts.attention.config
        self.end = join_end(parts.output, parts.before_mlp, parts.gate_up, parts.down)
        self.takes_adapters = False
        self.leads: DecoderStack | None = None
        self._follows: DecoderStack | None = None

    @override
    def forward(self, hidden_states: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Return the output, [1, num_tokens, hidden_size] like the input; arguments as in transformers."""
        if self._follows is not None and self._follows.has_made(hidden_states):
            return hidden_states
        is_paged = self._config._attn_implementation == ATTENTION_NAME
        takes_batch = self.takes_adapters or current_adapters.get() is None
        if args or not is_paged or not takes_batch or kwargs.get("attention_mask") is not None:
            output: Tensor = self.layer(hidden_states, *args, **kwargs)
            return output
        cosine, sine = kwargs["position_embeddings"]
        if self.leads is not None:
            stacked = self.leads.compute(hidden_states, cosine, sine)
            if stacked is not None:
                return stacked
        return self._compute(hidden_states[0].contiguous(), cosine[0], sine[0])[None]

    def takes(self, hidden_states: Tensor, positions: object) -> bool:
        """Return whether positions are cosines and sines of whole heads, in the hidden states' dtype."""
        if not isinstance(positions, tuple) or len(positions) != 2:
            return False
        shape = (*hidden_states.shape[:2], self.parts.dim)
        return all(
            isinstance(part, Tensor) and part.shape == shape and part.dtype == hidden_states.dtype
            for part in positions
        )

    def stacking_obstacle(self) -> Obstacle | None:
        """Return the reason why the layer cannot be in a stack; None if it can."""
        dtype = self.parts.before_attention.weight.dtype
        if dtype != torch.bfloat16:
            return Obstacle(f"takes bfloat16, not {name_of(dtype)}")
        if (obstacle := decode_obstacle(self.parts.before_attention.weight.device, dtype)) is not None:
            return obstacle
        weights = native_weights(self.parts.qkv)
        if weights is None or native_weights(self.parts.output, self.parts.gate_up, self.parts.down) is None:
            return Obstacle("needs linears of compiled code, all of one kind")
        if self.end is None or self.end.kind != weights.kind:
            return Obstacle("its sizes are no whole panels")
        return None

    def can_follow(self, other: Self) -> bool:
        """Return whether both layers, which can be in stacks, can be in the same one."""
        assert self.end is not None and other.end is not None
        return self.end.kind == other.end.kind and self.parts.dim == other.parts.dim

    @property
    def is_stacked(self) -> bool:
        """True if the layer is in a stack."""
        return self.leads is not None or self._follows is not None

    def enter_stack(self, stack: DecoderStack | None, *, is_first: bool = False) -> None:
        """Join a stack, as the first layer or a later one. None: leave it, and compute alone again."""
        self.leads = stack if is_first else None
        self._follows = None if is_first else stack

    def _compute(self, residual: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """Compute the layer. residual: [num_tokens, hidden_size], kept; cosine, sine: [num_tokens, dim]."""
        parts = self.parts
        qkv = parts.qkv(parts.before_attention(residual))
        parts.rotary(qkv, cosine, sine)
        query, key, value = (
            part.unflatten(-1, (-1, parts.dim)).transpose(0, 1)[None]
            for part in qkv.split(parts.sizes, dim=-1)
        )
        attended = current_attention.get().attend(
            parts.attention, query, key, value, parts.window, parts.scores
        )
        attended = attended[0].flatten(1)
        if self.end is not None and self.end.takes(residual) and current_adapters.get() is None:
            return self.end(residual, attended)
        residual, rows = parts.before_mlp.add(residual, parts.output(attended))
        return residual.add_(parts.down(swiglu(parts.gate_up(rows))))
