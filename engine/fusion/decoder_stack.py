"""A stack of consecutive fused layers, computed together when every row of the batch decodes.

The model's loop over its layers stays as it is. The first layer of a stack computes all of them and returns
the output of the last one; the others, when given this tensor, return it unchanged.
"""

from collections.abc import Mapping, Sequence

from torch import Tensor, nn

from engine.attention.paged_attention import PagedAttention, current_attention
from engine.fusion.layer_parts import LayerParts
from engine.fusion.native_decoder import NativeDecoder
from engine.fusion.native_layer_end import NativeLayerEnd
from engine.model.adapters import current_adapters


class DecoderStack:
    """A stack of layers whose products are all compiled code of one kind, with the same rotary embedding."""

    def __init__(self, layers: Sequence[LayerParts], ends: Sequence[NativeLayerEnd]) -> None:
        self._decoder = NativeDecoder(layers, ends)
        self._output: Tensor | None = None

    def has_made(self, hidden_states: Tensor) -> bool:
        """Return whether this is the tensor that the last call returned."""
        return hidden_states is self._output

    def let_adapters(self, paths: Mapping[nn.Module, str] | None) -> None:
        """Compute rows with adapters too, which change the linear layers of these paths; None: no more."""
        self._decoder.let_adapters(paths)

    def takes(self, num_rows: int, *, has_adapters: bool) -> bool:
        """Return whether a step of this many rows can be computed by the stack.

        has_adapters: whether any row has one.
        """
        return self._decoder.takes(num_rows) and (self._decoder.takes_adapters or not has_adapters)

    def compute(self, hidden_states: Tensor, cosine: Tensor, sine: Tensor) -> Tensor | None:
        """Return the output of the last layer; None if the layers must compute one by one.

        hidden_states: [1, num_rows, hidden_size], as is the result; cosine, sine: [1, num_rows, dim].
        """
        self._output = None
        attention, adapted = current_attention.get(), current_adapters.get()
        is_taken = self.takes(hidden_states.shape[1], has_adapters=adapted is not None)
        if isinstance(attention, PagedAttention) and is_taken:
            keys = attention.decoded_keys(self._decoder.windows)
            if keys is not None:
                adapters = None if adapted is None else adapted.adapters
                self._output = self._decoder(hidden_states[0], cosine[0], sine[0], keys, adapters)[None]
        return self._output
