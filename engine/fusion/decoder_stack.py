"""Fused layers that follow one another, computed together where every row of the batch decodes.

The model's loop over its layers stays as it is. The first layer of a stack computes all of them and returns
what the last one would; the others, when they are given just that, hand it on.
"""

from collections.abc import Sequence

from torch import Tensor

from engine.attention.paged_attention import PagedAttention, current_attention
from engine.fusion.layer_parts import LayerParts
from engine.fusion.native_decoder import NativeDecoder
from engine.fusion.native_layer_end import NativeLayerEnd


class DecoderStack:
    """Of layers whose products are compiled, all of one kind, and whose rotary embedding is the same."""

    def __init__(self, layers: Sequence[LayerParts], ends: Sequence[NativeLayerEnd]) -> None:
        self._decoder = NativeDecoder(layers, ends)
        self._output: Tensor | None = None

    def has_made(self, hidden_states: Tensor) -> bool:
        """Whether this is what the last call returned."""
        return hidden_states is self._output

    def takes(self, num_rows: int) -> bool:
        """Whether a step of so many rows may be computed at once."""
        return self._decoder.takes(num_rows)

    def compute(self, hidden_states: Tensor, cosine: Tensor, sine: Tensor) -> Tensor | None:
        """What the last layer returns; None where each layer shall compute by itself.

        hidden_states: [1, num_rows, hidden_size], as is the result; cosine, sine: [1, num_rows, dim].
        """
        self._output = None
        attention = current_attention.get()
        if isinstance(attention, PagedAttention) and self.takes(hidden_states.shape[1]):
            keys = attention.decoded_keys(self._decoder.windows)
            if keys is not None:
                self._output = self._decoder(hidden_states[0], cosine[0], sine[0], keys)[None]
        return self._output
