"""A decoder layer whose small operations are compiled: norms, rotary embedding, activation.

It computes what the modelling code of Llama, Mistral, Qwen2, Qwen3 and their like does in some fifty calls of
torch and as much Python around them. Products stay with the layer's own linears, whatever they are; attention
stays with `current_attention`. Which layers it may stand for, engine/fusion/layer_fusion.py finds out.
"""

from typing import Any, Self

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.attention.paged_attention import ATTENTION_NAME, current_attention
from engine.fusion.decoder_stack import DecoderStack
from engine.fusion.layer_parts import LayerParts
from engine.fusion.native_layer import swiglu
from engine.fusion.native_layer_end import join_end
from engine.fusion.native_weight import native_weights
from engine.kernels import Obstacle
from engine.native.obstacles import name_of


class FusedLayer(nn.Module):
    """Stands where the layer stood, which it keeps: for what is not paged attention, and for its linears.

    end: what it does after attention as one call, where there is one. leads: the stack that it is the first
    layer of.
    """

    def __init__(self, layer: nn.Module, parts: LayerParts) -> None:
        super().__init__()
        self.layer = layer
        self.parts = parts
        self._config: Any = parts.attention.config
        self.end = join_end(parts.output, parts.before_mlp, parts.gate_up, parts.down)
        self.leads: DecoderStack | None = None
        self._follows: DecoderStack | None = None

    @override
    def forward(self, hidden_states: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """[1, num_tokens, hidden_size] -> the same, as transformers calls its decoder layers."""
        if self._follows is not None and self._follows.has_made(hidden_states):
            return hidden_states
        is_paged = self._config._attn_implementation == ATTENTION_NAME
        if args or not is_paged or kwargs.get("attention_mask") is not None:
            output: Tensor = self.layer(hidden_states, *args, **kwargs)
            return output
        cosine, sine = kwargs["position_embeddings"]
        if self.leads is not None:
            stacked = self.leads.compute(hidden_states, cosine, sine)
            if stacked is not None:
                return stacked
        return self._compute(hidden_states[0].contiguous(), cosine[0], sine[0])[None]

    def takes(self, hidden_states: Tensor, positions: object) -> bool:
        """Whether positions are cosines and sines of whole heads, of the type of all the rest."""
        if not isinstance(positions, tuple) or len(positions) != 2:
            return False
        shape = (*hidden_states.shape[:2], self.parts.dim)
        return all(
            isinstance(part, Tensor) and part.shape == shape and part.dtype == hidden_states.dtype
            for part in positions
        )

    def stacking_obstacle(self) -> Obstacle | None:
        """Return why the layer cannot be in a stack; None if compiled code has all of its products."""
        dtype = self.parts.before_attention.weight.dtype
        if dtype != torch.bfloat16:
            return Obstacle(f"takes bfloat16, not {name_of(dtype)}")
        weights = native_weights(self.parts.qkv)
        if weights is None or native_weights(self.parts.output, self.parts.gate_up, self.parts.down) is None:
            return Obstacle("needs linears of compiled code, all of one kind")
        if self.end is None or self.end.kind != weights.kind:
            return Obstacle("its sizes are no whole panels")
        return None

    def can_follow(self, other: Self) -> bool:
        """Whether both, which can stack, can be in one stack."""
        assert self.end is not None and other.end is not None
        return self.end.kind == other.end.kind and self.parts.dim == other.parts.dim

    def enter_stack(self, stack: DecoderStack | None, *, is_first: bool = False) -> None:
        """Its first layer computes it, the others hand on what it made. None: each computes by itself."""
        self.leads = stack if is_first else None
        self._follows = None if is_first else stack

    def _compute(self, residual: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """residual: [num_tokens, hidden_size], which stays as it is; cosine, sine: [num_tokens, dim]."""
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
        if self.end is not None and self.end.takes(residual):
            return self.end(residual, attended)
        residual, rows = parts.before_mlp.add(residual, parts.output(attended))
        return residual.add_(parts.down(swiglu(parts.gate_up(rows))))
