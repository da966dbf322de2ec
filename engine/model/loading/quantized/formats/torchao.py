"""torchao's weights in safetensors: the tensors of its subclasses, which the metadata of the files names.

A weight `layer.weight` is stored as `layer._weight_qdata`, `layer._weight_scale` and others. The metadata
have its class under its own name, and those of its attributes that are no tensors, as JSON (torchao 0.18,
`torchao.prototype.safetensors`). What a class says of activations is left out.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, NoReturn, final

import torch
from torch import Tensor
from typing_extensions import override

from engine.model.loading.quantized.bit_fields import unpack_nibbles
from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.formats.block_float8 import FLOAT8
from engine.model.loading.quantized.grouping import group_form, to_groups
from engine.model.loading.quantized.quantized_weight import Format, QuantizedWeight, Unpack
from engine.model.loading.quantized.scaled_blocks import Malformed, ScaledBlocks, check_scales, scale_blocks
from engine.model.loading.quantized.stored_parts import FLOATS, StoredParts, num_groups
from engine.model.loading.quantized.tensor_files import TensorFiles
from engine.port.errors import ModelNotSupported
from engine.weights.grouped_weight import MIDDLE, GroupBits, GroupedWeight, GroupForm

_VALUES: Final = "qdata"  # the part of a weight that has its numbers, whatever its class
_MOST: Final = 2**40  # a size that no weight has
_OF_ACTIVATIONS: Final = ("act_quant_scale", "act_quant_zero_point")
_INTEGERS: Final[Mapping[str, int]] = {f"int{bits}": bits for bits in range(1, 9)}
# Why weights of other classes are not unpacked.
_OTHERS: Final[Mapping[str, str]] = {
    "Int4TilePackedTo4dTensor": "is laid out for a kernel of NVIDIA's GPUs (tinygemm)",
    "Int4PreshuffledTensor": "is laid out for a kernel of NVIDIA's GPUs (MSLK)",
    "Int4PlainInt32Tensor": "is laid out for kernels of Intel's GPUs and of NPUs",
    "MXTensor": "has floats in blocks with a power of two each",
    "NVFP4Tensor": "has floats of 4 bits",
}


@final
class TorchAo(Format):
    """Weights of torchao. config: the name of the class that describes the quantization; None if unknown."""

    def __init__(self, config: str | None) -> None:
        self._config = config

    @classmethod
    def parse(cls, fields: Fields) -> "TorchAo":
        """Return the format. The classes of weights, not its description, say how they are unpacked."""
        described = fields.get("quant_type")
        described = described.get("default") if isinstance(described, dict) else described
        name = described.get("_type") if isinstance(described, dict) else described
        return cls(name[:60] if isinstance(name, str) and name.isidentifier() else None)

    @property
    @override
    def label(self) -> str:
        return "torchao" if self._config is None else f"torchao's {self._config}"

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        for stem in parts.before(f"_{_VALUES}"):
            module, separator, own = stem.rpartition("._")
            if separator:
                yield _weight(parts, files, stem, f"{module}.{own}")


class _Described(NamedTuple):
    """A weight as the metadata describes it. stem: what the names of its tensors begin with."""

    parts: StoredParts
    name: str
    stem: str
    kind: str
    attributes: Mapping[str, Any]

    def refuse(self, rule: str) -> NoReturn:
        """Raise ModelNotSupported. rule: what the metadata says, such as "has no block_size"."""
        self.parts.refuse(f"{self.name}, of torchao's class {self.kind}, {rule}")

    def stored(self, part: str) -> str:
        """Return the name of a part's tensor."""
        return f"{self.stem}_{part}"

    def has(self, part: str) -> bool:
        """Return whether there is such a tensor."""
        return self.stored(part) in self.parts.left

    def take(
        self, part: str, dtypes: Collection[str], shape: tuple[int, ...] | None = None
    ) -> tuple[int, ...]:
        """Take a part's tensor, and return its shape; as `StoredParts.take` does."""
        return self.parts.take(self.stored(part), dtypes, shape)

    def take_matrix(self, dtypes: Collection[str]) -> tuple[int, int]:
        """Take the numbers, and return their two dimensions. Raises ModelNotSupported."""
        return self.parts.take_matrix(self.stored(_VALUES), dtypes)

    def numbers(self, name: str) -> tuple[int, int]:
        """Return an attribute of two positive integers. Raises ModelNotSupported."""
        found = self.attributes.get(name)
        if (
            not isinstance(found, list)
            or len(found) != 2
            or not all(type(number) is int and 0 < number < _MOST for number in found)
        ):
            self.refuse(f"must have two positive integers as its {name}, and has {str(found)[:50]!r}")
        return found[0], found[1]

    def weight(
        self, shape: tuple[int, ...], parts: Sequence[str], unpack: Unpack, form: GroupForm | None = None
    ) -> QuantizedWeight:
        """Return the weight. parts: which others it has, in addition to its numbers."""
        names = {part: self.stored(part) for part in (_VALUES, *parts)}
        return QuantizedWeight(self.name, shape, names, unpack, form)


def _weight(parts: StoredParts, files: TensorFiles | None, stem: str, name: str) -> QuantizedWeight:
    if files is None:
        raise ModelNotSupported(
            "the classes of torchao's weights are in the metadata of its files, which are not in "
            f"{parts.directory}: fetch the model, and check its directory"
        )
    described = _describe(parts, files, stem, name)
    if described.has("act_pre_scale"):
        described.refuse("has an act_pre_scale, by which inputs would have to be multiplied")
    parts.drop(*map(described.stored, _OF_ACTIVATIONS))
    return _UNPACKED[described.kind](described)


def _describe(parts: StoredParts, files: TensorFiles, stem: str, name: str) -> _Described:
    try:
        found: Any = json.loads(files.metadata[name])
        kind, attributes = found["_type"], found["_data"]
    except (KeyError, ValueError, TypeError, RecursionError):
        parts.refuse(f"the metadata of the files describe no {name}, of which there is {stem}_{_VALUES}")
    if not isinstance(kind, str) or not isinstance(attributes, dict):
        parts.refuse(f"the metadata of the files must have a class and attributes of {name}")
    if kind not in _UNPACKED:
        known, reason = ", ".join(sorted(_UNPACKED)), _OTHERS.get(kind, "is not known")
        raise ModelNotSupported(
            f"{name} in {parts.directory} is of torchao's class {' '.join(kind.split())[:50]}, which "
            f"{reason}; of its classes {known} are unpacked"
        )
    return _Described(parts, name, stem, kind, attributes)


def _bytes(described: _Described) -> QuantizedWeight:
    """Return a weight of integers of 8 bits."""
    return _integers(described, 8)


def _few_bits(described: _Described) -> QuantizedWeight:
    """Return a weight of integers of 1 to 8 bits in a byte each."""
    dtype = described.attributes.get("target_dtype")
    word = dtype.get("_data") if isinstance(dtype, dict) else None
    if not isinstance(word, str) or word not in _INTEGERS:
        described.refuse(f"must have int1 to int8 as its target_dtype, and has {str(word)[:50]!r}")
    return _integers(described, _INTEGERS[word])


def _integers(described: _Described, bits: int) -> QuantizedWeight:
    shape = described.take_matrix(("I8",))
    block = described.numbers("block_size")
    if shape[0] % block[0] or shape[1] % block[1]:
        described.refuse(f"is {list(shape)}, which is no whole number of blocks of {list(block)}")
    grid = shape[0] // block[0], shape[1] // block[1]
    described.take("scale", FLOATS, grid)
    parts = ["scale"]
    if described.has("zero_point"):
        described.take("zero_point", ("I8", *FLOATS), grid)
        parts.append("zero_point")
    form = group_form(bits, shape[1], block[1], is_symmetric="zero_point" not in parts)
    unpack = partial(_unpack_integers, block=block, bits=bits, group_bits=8 if form is None else form.bits)
    return described.weight(shape, parts, unpack, form)


def _unpack_integers(
    read: Mapping[str, Tensor], block: tuple[int, int], bits: int, group_bits: GroupBits
) -> ScaledBlocks:
    values, zeros = read[_VALUES], read.get("zero_point")
    least, most = (int(number) for number in values.aminmax())
    if least < -(1 << (bits - 1)) or most >= 1 << (bits - 1):
        raise Malformed(f"its numbers are {least} to {most}, which are no integers of {bits} bits")
    return ScaledBlocks(values, read["scale"], block, zeros, group_bits)


def _nibbles(described: _Described) -> QuantizedWeight:
    """Return a weight of integers of 4 bits, two in a byte: the first one in its lower half."""
    num_outputs, num_bytes = described.take_matrix(("I8", "U8"))
    shape = num_outputs, 2 * num_bytes
    if (said := described.numbers("shape")) != shape:
        described.refuse(f"has the shape {list(said)}, and numbers for {list(shape)}")
    rows, group_size = described.numbers("block_size")
    if rows != 1 or group_size > shape[1]:
        described.refuse(f"is {list(shape)}, whose rows have no groups of {[rows, group_size]}")
    parts = ("scale", "zero_point")
    for part in parts:
        described.take(part, FLOATS, (num_groups(shape[1], group_size), num_outputs))
    form = group_form(4, shape[1], group_size, is_symmetric=False)
    return described.weight(shape, parts, partial(_unpack_nibbles, group_size=group_size), form)


class OffsetCodes(NamedTuple):
    """Integers of 4 bits that are scaled, and moved by a number that their format calls a zero point.

    codes: uint8 [num_outputs, num_inputs], 8 more than they are. scales, offsets: [num_outputs, num_groups].
    """

    codes: Tensor
    scales: Tensor
    offsets: Tensor
    group_size: int

    def check(self) -> None:
        """Raise Malformed for scales and offsets that are not finite."""
        check_scales(self.scales, "scales")
        check_scales(self.offsets, "zero points")

    def dense(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight, [num_outputs, num_inputs]. Raises Malformed as `check` does."""
        self.check()
        zeros = torch.full((1, 1), MIDDLE).expand(self.scales.shape)
        block = 1, self.group_size
        return scale_blocks(self.codes, self.scales, block, dtype, zeros=zeros, offsets=self.offsets)

    def to_groups(self) -> GroupedWeight:
        """Return the weight with the same integers. Raises NotGrouped, and Malformed as `check` does."""
        self.check()
        offsets = self.offsets if bool(self.offsets.any()) else None
        middle = torch.full((1, 1), MIDDLE)
        return to_groups(self.codes, self.scales, middle, self.group_size, 4, offsets=offsets)


def _unpack_nibbles(read: Mapping[str, Tensor], group_size: int) -> OffsetCodes:
    codes = unpack_nibbles(read[_VALUES].view(torch.uint8)) ^ MIDDLE  # the highest of four bits is a sign
    return OffsetCodes(codes, read["scale"].T, read["zero_point"].T, group_size)


def _floats(described: _Described) -> QuantizedWeight:
    """Return a weight of 8-bit floats, whose blocks follow from how many scales there are."""
    shape = described.take(_VALUES, FLOAT8)
    if len(shape) < 2:
        described.refuse(f"is {list(shape)}, which should have two dimensions")
    scales = described.take("scale", FLOATS)
    block = shape[-2:]
    if scales != (1,) * len(scales):  # which is one for all
        if len(scales) != len(shape) or scales[:-2] != shape[:-2] or any(map(int.__mod__, shape, scales)):
            described.refuse(f"is {list(shape)}, which are no blocks for scales of {list(scales)}")
        block = shape[-2] // scales[-2], shape[-1] // scales[-1]
    return described.weight(shape, ("scale",), partial(_unpack_floats, block=(block[0], block[1])))


def _unpack_floats(read: Mapping[str, Tensor], block: tuple[int, int]) -> ScaledBlocks:
    return ScaledBlocks(read[_VALUES], read["scale"], block)


_UNPACKED: Final[Mapping[str, Callable[[_Described], QuantizedWeight]]] = {
    "Float8Tensor": _floats,
    "Int4Tensor": _nibbles,
    "Int8Tensor": _bytes,
    "IntxUnpackedToInt8Tensor": _few_bits,
}
