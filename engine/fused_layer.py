"""A decoder layer whose small operations are compiled: norms, rotary embedding, activation.

It computes what the modelling code of Llama, Mistral, Qwen2, Qwen3 and their like does in some fifty calls of
torch and as much Python around them. Products stay with the layer's own linears, whatever they are; attention
stays with `current_attention`. Which layers it may stand for, engine/layer_fusion.py finds out.
"""

from typing import Any, NamedTuple

from torch import Tensor, nn
from typing_extensions import override

from engine.attention import ATTENTION_NAME, current_attention
from engine.native_layer import RmsNorm, Rotary, gate
from engine.native_layer_end import join_end
from engine.scores import Scores


class LayerParts(NamedTuple):
    """What a layer is made of, in order.

    heads: queries, keys and values in one product; their sizes; dim: of a head. gates: gates, and
    what they are for, in one product. window, scores: what the layer's attention asks for.
    """

    before_attention: RmsNorm
    heads: nn.Module
    sizes: list[int]
    dim: int
    rotary: Rotary
    attention: nn.Module
    window: int | None
    scores: Scores
    output: nn.Module
    before_gates: RmsNorm
    gates: nn.Module
    down: nn.Module


class FusedLayer(nn.Module):
    """Stands where the layer stood, which it keeps: for what is not paged attention, and for its linears."""

    def __init__(self, layer: nn.Module, parts: LayerParts) -> None:
        super().__init__()
        self.layer = layer
        self._parts = parts
        self._config: Any = parts.attention.config
        self._end = join_end(parts.output, parts.before_gates, parts.gates, parts.down)

    @override
    def forward(self, hidden_states: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """[1, num_tokens, hidden_size] -> the same, as transformers calls its decoder layers."""
        is_paged = self._config._attn_implementation == ATTENTION_NAME
        if args or not is_paged or kwargs.get("attention_mask") is not None:
            output: Tensor = self.layer(hidden_states, *args, **kwargs)
            return output
        cosine, sine = kwargs["position_embeddings"]
        return self._compute(hidden_states[0].contiguous(), cosine[0], sine[0])[None]

    def takes(self, hidden_states: Tensor, positions: object) -> bool:
        """Whether positions are cosines and sines of whole heads, of the type of all the rest."""
        if not isinstance(positions, tuple) or len(positions) != 2:
            return False
        shape = (*hidden_states.shape[:2], self._parts.dim)
        return all(
            isinstance(part, Tensor) and part.shape == shape and part.dtype == hidden_states.dtype
            for part in positions
        )

    def _compute(self, stream: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """stream: [num_tokens, hidden_size], which stays as it is; cosine, sine: [num_tokens, dim]."""
        parts = self._parts
        heads = parts.heads(parts.before_attention(stream))
        parts.rotary(heads, cosine, sine)
        query, key, value = (
            part.unflatten(-1, (-1, parts.dim)).transpose(0, 1)[None]
            for part in heads.split(parts.sizes, dim=-1)
        )
        attended = current_attention.get().attend(
            parts.attention, query, key, value, parts.window, parts.scores
        )
        attended = attended[0].flatten(1)
        if self._end is not None and self._end.takes(stream):
            return self._end(stream, attended)
        stream, rows = parts.before_gates.add(stream, parts.output(attended))
        return stream.add_(parts.down(gate(parts.gates(rows))))
