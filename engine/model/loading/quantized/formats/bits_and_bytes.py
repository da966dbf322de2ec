"""The formats of bitsandbytes: 4 bits as places in a table, and 8-bit integers with a scale for each row."""

import json
import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, final

import torch
from torch import Tensor
from typing_extensions import override

from engine.model.loading.quantized.bit_fields import unpack_nibbles
from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.grouping import group_form
from engine.model.loading.quantized.quantized_weight import Format, QuantizedWeight
from engine.model.loading.quantized.scaled_blocks import Malformed, ScaledBlocks, check_scales
from engine.model.loading.quantized.stored_parts import StoredParts, num_groups
from engine.model.loading.quantized.tensor_files import TensorFiles
from engine.port.errors import ModelNotSupported

_STATE: Final = ".quant_state.bitsandbytes__"
_TYPES: Final = ("nf4", "fp4")
_AT_ONCE: Final = 1 << 22
_LARGEST: Final = 127.0  # integer of a row


@final
class BitsAndBytes(Format):
    """Weights of bitsandbytes. bits: 4 or 8."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    @classmethod
    def parse(cls, fields: Fields) -> "BitsAndBytes":
        """Return the format that a quantization_config describes. Raises ModelNotSupported."""
        if fields.flag("load_in_4bit", False):
            if fields.get("bnb_4bit_quant_storage") not in (None, "uint8"):
                fields.refuse("bnb_4bit_quant_storage", "of weights that are unpacked is uint8")
            return cls(4)
        if not fields.flag("load_in_8bit", False):
            fields.refuse("load_in_8bit", "or load_in_4bit must be true")
        return cls(8)

    @property
    @override
    def label(self) -> str:
        return f"bitsandbytes of {self._bits} bits"

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        if self._bits == 8:
            for base in parts.before(".SCB"):
                yield _rows(parts, base)
            return
        for kind in _TYPES:
            for name in parts.before(f"{_STATE}{kind}"):
                yield _table(parts, files, name, f"{name}{_STATE}{kind}")


def _rows(parts: StoredParts, base: str) -> QuantizedWeight:
    shape = parts.take_matrix(f"{base}.weight", ("I8",))
    parts.take(f"{base}.SCB", ("F32",), (shape[0],))
    names = {"values": f"{base}.weight", "scales": f"{base}.SCB"}
    if f"{base}.weight_format" in parts.left:
        parts.take(f"{base}.weight_format", ("U8",))
        names["order"] = f"{base}.weight_format"
    unpack = partial(_unpack_rows, num_columns=shape[1])
    form = group_form(8, shape[1], shape[1], is_symmetric=True)
    return QuantizedWeight(f"{base}.weight", shape, names, unpack, form)


def _unpack_rows(read: Mapping[str, Tensor], num_columns: int) -> ScaledBlocks:
    if "order" in read and bool((read["order"] != 0).any()):
        raise Malformed("its weight_format is that of a GPU, not row by row")
    return ScaledBlocks(read["values"], read["scales"][:, None] / _LARGEST, (1, num_columns))


def _table(parts: StoredParts, files: TensorFiles | None, name: str, state_name: str) -> QuantizedWeight:
    if files is None:
        raise ModelNotSupported(
            "the shapes of weights of bitsandbytes are in their contents, which are not in "
            f"{parts.directory}: fetch the model, and check its directory"
        )
    parts.take(state_name, ("U8",))
    state = _read_state(parts, files, state_name)
    num_weights = math.prod(state.shape)
    parts.take(name, ("U8",), (-(-num_weights // 2), 1))
    blocks = num_groups(num_weights, state.block_size)
    parts.take(f"{name}.quant_map", ("F32",), (16,))
    names = {"codes": name, "table": f"{name}.quant_map", "scales": f"{name}.absmax"}
    if state.nested_block_size is None:
        parts.take(f"{name}.absmax", ("F32",), (blocks,))
    else:
        parts.take(f"{name}.absmax", ("U8",), (blocks,))
        parts.take(f"{name}.nested_absmax", ("F32",), (num_groups(blocks, state.nested_block_size),))
        parts.take(f"{name}.nested_quant_map", ("F32",), (256,))
        names |= {"nested_scales": f"{name}.nested_absmax", "nested_table": f"{name}.nested_quant_map"}
    return QuantizedWeight(name, state.shape, names, partial(_unpack_table, state=state))


class _State(NamedTuple):
    """The description that is stored next to a weight. nested: of scales that are quantized themselves."""

    shape: tuple[int, ...]
    block_size: int
    nested_block_size: int | None
    nested_offset: float


def _read_state(parts: StoredParts, files: TensorFiles, name: str) -> _State:
    try:
        found: Any = json.loads(bytes(files.read(name).tolist()))
        shape = tuple(found["shape"])
        nested = found.get("nested_blocksize")
        offset = found.get("nested_offset", 0.0)
        sizes = [*shape, found["blocksize"], *([] if nested is None else [nested])]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        parts.refuse(f"{name} describes no weight")
    if not all(type(size) is int and 0 < size < 2**40 for size in sizes) or not shape:
        parts.refuse(f"{name} must have positive sizes")
    if not isinstance(offset, int | float) or not math.isfinite(offset):
        parts.refuse(f"{name} must have a finite nested_offset")
    return _State(shape, found["blocksize"], nested, float(offset))


class TableCodes(NamedTuple):
    """Places in a table of 16 floats, and the scales of blocks.

    codes: bytes of two places, the first in the higher half.
    """

    codes: Tensor
    table: Tensor
    scales: Tensor
    block_size: int
    shape: tuple[int, ...]

    def dense(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight. Raises Malformed for a table or scales that are not finite."""
        check_scales(self.scales, "scales")
        check_scales(self.table, "quant_map")
        result = torch.empty(math.prod(self.shape), dtype=dtype)
        blocks = max(2, _AT_ONCE // self.block_size // 2 * 2)  # an even number of codes at a time
        for first_block in range(0, len(self.scales), blocks):
            first = first_block * self.block_size
            part = result[first : first + blocks * self.block_size]
            in_bytes = self.codes.view(-1)[first // 2 : -(-(first + len(part)) // 2)]
            values = self.table[unpack_nibbles(in_bytes, is_high_first=True).int()][: len(part)]
            scales = self.scales[first_block : first_block + blocks]
            part[:] = values * scales[torch.arange(len(part)) // self.block_size]
        return result.view(self.shape)


def _unpack_table(read: Mapping[str, Tensor], state: _State) -> TableCodes:
    scales = read["scales"]
    if state.nested_block_size is not None:
        groups = torch.arange(len(scales)) // state.nested_block_size
        scales = read["nested_table"][scales.int()] * read["nested_scales"][groups] + state.nested_offset
    return TableCodes(read["codes"], read["table"], scales, state.block_size, state.shape)
