"""All decoder layers of decoding rows in one call of compiled code.

With few rows there is little to compute between the products of a layer. Calls from Python, whose data the
product before has evicted from the caches, took a tenth of a step for one sequence, and more for eight.
"""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import DecodedKeys
from engine.attention.plan import RaggedKeys
from engine.fusion.layer_parts import LayerParts
from engine.fusion.native_adapters import NativeAdapters
from engine.fusion.native_layer_end import NativeLayerEnd
from engine.fusion.native_weight import native_weights
from engine.native.library import compiled
from engine.native.structures import NUM_TIMED_PARTS, DecoderCall, LayerFields, VisibleKeys
from engine.port.info.adapter import Adapter

_MOST_ROWS = 64


class PartTimes:
    """The accumulated time of calls by part, in seconds."""

    def __init__(self) -> None:
        self._nanoseconds = (ctypes.c_int64 * NUM_TIMED_PARTS)()
        self.address = ctypes.addressof(self._nanoseconds)

    @property
    def products(self) -> float:
        """The seconds in products, norms, gates and sums."""
        return self._nanoseconds[0] / 1e9

    @property
    def attention(self) -> float:
        """The seconds in attention, the rotary embedding, and the writing of keys and values."""
        return self._nanoseconds[1] / 1e9


class NativeDecoder:
    """A sequence of layers whose weights are of one kind, computed by one call.

    times: if set, calls add their times to it. windows: the distinct windows of the layers.
    """

    times: ClassVar[PartTimes | None] = None

    def __init__(self, layers: Sequence[LayerParts], ends: Sequence[NativeLayerEnd]) -> None:
        self.windows = tuple(dict.fromkeys(parts.window for parts in layers))
        self._size = len(layers[0].before_attention.weight)
        self._dim = layers[0].dim
        self._owners: list[Any] = [ends]  # kept alive, since the fields have their addresses
        self._fields = (LayerFields * len(layers))(*map(self._layer, layers, ends))
        self._layers = layers
        self._adapters: NativeAdapters | None = None
        self._pages: KVPages | None = None
        self._compute = compiled()[f"verbatim_{ends[0].kind}_decoder"]

    def takes(self, num_rows: int) -> bool:
        """Return whether one call takes this many rows, of which there must be some."""
        return 0 < num_rows <= _MOST_ROWS

    @property
    def takes_adapters(self) -> bool:
        """True if rows may have adapters."""
        return self._adapters is not None

    def let_adapters(self, paths: Mapping[nn.Module, str] | None) -> None:
        """Let rows have adapters, which change the linear layers of these paths. None: rows have none."""
        self._adapters = None if paths is None else NativeAdapters(self._layers, paths)

    def __call__(
        self,
        residual: Tensor,
        cosine: Tensor,
        sine: Tensor,
        keys: DecodedKeys,
        adapters: Sequence[Adapter | None] | None = None,
    ) -> Tensor:
        """Return the last layer's output.

        residual: [num_rows, hidden_size]. cosine, sine: [num_rows, dim]. All are bfloat16. adapters: of each
        row; None if none has one.
        """
        num_rows = len(residual)
        residual, cosine, sine = residual.contiguous(), cosine.contiguous(), sine.contiguous()
        assert residual.dtype == cosine.dtype == sine.dtype == keys.pages.dtype == torch.bfloat16
        assert residual.shape == (num_rows, self._size) and cosine.shape == sine.shape == (
            num_rows,
            self._dim,
        )
        assert len(keys.visible) == len(self.windows) and len(keys.slots) == num_rows
        assert keys.slots.is_contiguous() and all(visible.num_rows == num_rows for visible in keys.visible)
        if keys.pages is not self._pages:
            self._point_to(keys.pages)
        output = torch.empty_like(residual)
        of_rows = None
        if adapters is not None:
            assert self._adapters is not None and len(adapters) == num_rows
            of_rows = self._adapters.of_rows(adapters)
        visible = (VisibleKeys * len(self.windows))(*map(_visible, keys.visible))
        call = DecoderCall(
            ctypes.addressof(self._fields),
            ctypes.addressof(visible),
            *(rows.data_ptr() for rows in (residual, output, cosine, sine, keys.slots)),
            None if of_rows is None else ctypes.addressof(of_rows),
            None if self.times is None else self.times.address,
            len(self._fields),
            num_rows,
            keys.writes_first,
            torch.get_num_threads(),
        )
        self._compute(ctypes.byref(call))
        return output

    def _layer(self, parts: LayerParts, end: NativeLayerEnd) -> LayerFields:
        weights = native_weights(parts.qkv)
        assert weights is not None and weights.kind == end.kind
        assert end.fields.output.num_inputs == parts.sizes[0] and weights.fields[0].num_inputs == self._size
        assert weights.fields[0].num_outputs == sum(parts.sizes)
        num_query_heads, num_kv_heads = parts.sizes[0] // parts.dim, parts.sizes[1] // parts.dim
        query_norm, key_norm = parts.rotary.norms or (None, None)
        sinks = parts.scores.dense_sinks()
        self._owners.append(sinks)
        return LayerFields(
            qkv=weights.fields[0],
            end=end.fields,
            norm=parts.before_attention.weight.data_ptr(),
            query_norm=None if query_norm is None else query_norm.weight.data_ptr(),
            key_norm=None if key_norm is None else key_norm.weight.data_ptr(),
            sinks=None if sinks is None else sinks.data_ptr(),
            num_heads=num_query_heads,
            num_kv_heads=num_kv_heads,
            dim=parts.dim,
            window=self.windows.index(parts.window),
            epsilon=parts.before_attention.epsilon,
            query_epsilon=0.0 if query_norm is None else query_norm.epsilon,
            key_epsilon=0.0 if key_norm is None else key_norm.epsilon,
            scaling=parts.scores.scaling,
            softcap=parts.scores.softcap or 0.0,
        )

    def _point_to(self, pages: KVPages) -> None:
        self._pages = None
        for fields, parts in zip(self._fields, self._layers, strict=True):
            index = parts.attention.layer_idx
            assert isinstance(index, int)
            keys, values = pages.layer(index)
            assert keys.shape == values.shape and keys.shape[2:] == (fields.num_kv_heads, fields.dim)
            fields.keys, fields.values = keys.data_ptr(), values.data_ptr()
            fields.block_size = pages.block_size
        self._pages = pages


def _visible(keys: RaggedKeys) -> VisibleKeys:
    return VisibleKeys(*(part.data_ptr() for part in (keys.blocks, keys.firsts, keys.lows, keys.highs)))
