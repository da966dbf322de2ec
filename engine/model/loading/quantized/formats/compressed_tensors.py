"""The formats of compressed-tensors, as llm-compressor writes them: integers and 8-bit floats."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple, final

import torch
from torch import Tensor
from typing_extensions import override

from engine.model.loading.quantized.bit_fields import WORD_BITS, unpack_words
from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.grouped_codes import GroupedCodes
from engine.model.loading.quantized.grouping import group_form
from engine.model.loading.quantized.quantized_weight import INPUT_GROUPS, Format, QuantizedWeight, Unpack
from engine.model.loading.quantized.scaled_blocks import ScaledBlocks
from engine.model.loading.quantized.stored_parts import FLOATS, StoredParts, num_groups
from engine.model.loading.quantized.tensor_files import TensorFiles

_FORMATS: Final = ("pack-quantized", "int-quantized", "float-quantized", "naive-quantized")
_PACKED_BITS: Final = (2, 4, 8)
_UNSET: Final = -1  # in a weight_g_idx whose groups follow one another after all
_STRATEGIES: Final = ("tensor", "channel", "group", "block")
_OF_ACTIVATIONS: Final = (
    "input_scale",
    "input_zero_point",
    "input_g_idx",
    "output_scale",
    "output_zero_point",
)


class _Scheme(NamedTuple):
    """The quantization of some layers. targets: their names, `re:` and a pattern, or the name of a class.

    block: rows and columns of a scale, of which 0 means all.
    """

    targets: tuple[str, ...]
    bits: int
    is_float: bool
    is_symmetric: bool
    block: tuple[int, int]

    @property
    def label(self) -> str:
        kind = f"{self.bits}-bit {'floats' if self.is_float else 'integers'}"
        rows, columns = self.block
        if rows > 1:
            return f"{kind} in blocks of {rows} x {columns}"
        if not rows:
            return f"{kind} with a scale for each weight"
        return f"{kind} in groups of {columns}" if columns else f"{kind} with a scale for each row"


@final
class CompressedTensors(Format):
    """Weights of compressed-tensors, in one scheme or in several for layers of several names."""

    def __init__(self, schemes: tuple[_Scheme, ...]) -> None:
        self._schemes = schemes

    @classmethod
    def parse(cls, fields: Fields) -> "CompressedTensors":
        """Return the format that a quantization_config describes. Raises ModelNotSupported."""
        fields.word("quantization_status", "compressed", ("compressed",))
        if fields.get("transform_config"):
            fields.refuse("transform_config", "must be empty, since rotated weights are not served")
        if fields.get("sparsity_config") and fields.inner("sparsity_config").get("format") != "dense":
            fields.refuse("sparsity_config", "must be of format dense")
        groups = fields.inner("config_groups")
        if not groups.keys():
            fields.refuse("config_groups", "must have a group")
        return cls(tuple(_parse_group(fields, groups.inner(name)) for name in groups.keys()))  # noqa: SIM118

    @property
    @override
    def label(self) -> str:
        return "compressed-tensors, " + " and ".join(dict.fromkeys(scheme.label for scheme in self._schemes))

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        for base in parts.before(".weight_packed"):
            yield self._packed(parts, files, base)
        for base in parts.before(".weight_scale"):
            yield self._whole(parts, base)

    def _packed(self, parts: StoredParts, files: TensorFiles | None, base: str) -> QuantizedWeight:
        scheme = self._scheme_of(parts, base)
        if scheme.is_float or scheme.bits not in _PACKED_BITS:
            parts.refuse(f"{base}.weight_packed is of {scheme.bits} bits, which are not unpacked")
        num_outputs, num_words = parts.take_matrix(f"{base}.weight_packed", ("I32",))
        num_inputs = num_words * WORD_BITS // scheme.bits
        parts.take(f"{base}.weight_shape", ("I64", "I32"), (2,))
        if files is not None:  # the last word of a row may have room for more
            shape = files.read(f"{base}.weight_shape").tolist()
            if shape[0] != num_outputs or -(-shape[1] * scheme.bits // WORD_BITS) != num_words:
                parts.refuse(
                    f"{base}.weight_shape says {shape}, and there are {num_outputs} rows of {num_words} words"
                )
            num_inputs = shape[1]
        grid = self._take_scales(parts, base, scheme, (num_outputs, num_inputs))
        names = {"codes": f"{base}.weight_packed", "scales": f"{base}.weight_scale"}
        if not scheme.is_symmetric:
            packed = (-(-num_outputs * scheme.bits // WORD_BITS), grid[1])
            names["zeros"] = f"{base}.weight_zero_point"
            parts.take(names["zeros"], ("I32",), packed)
        if f"{base}.weight_g_idx" in parts.left:
            parts.take(f"{base}.weight_g_idx", ("I32", "I64"), (num_inputs,))
            names[INPUT_GROUPS] = f"{base}.weight_g_idx"
        size = scheme.block[1] or num_inputs
        packing = _Packing(scheme.bits, size, (num_outputs, num_inputs))
        form = None
        if scheme.block[0] == 1:
            form = group_form(scheme.bits, num_inputs, size, is_symmetric=scheme.is_symmetric)
        return QuantizedWeight(f"{base}.weight", packing.shape, names, packing.codes, form)

    def _whole(self, parts: StoredParts, base: str) -> QuantizedWeight:
        """Return a weight whose numbers are stored in 8 bits each."""
        scheme = self._scheme_of(parts, base)
        name = f"{base}.weight"
        shape = parts.take_matrix(name, ("F8_E4M3",) if scheme.is_float else ("I8",))
        grid = self._take_scales(parts, base, scheme, shape)
        names = {"values": name, "scales": f"{base}.weight_scale"}
        if not scheme.is_symmetric:
            names["zeros"] = f"{base}.weight_zero_point"
            parts.take(names["zeros"], ("I8", *FLOATS), grid)
        else:
            parts.drop(f"{base}.weight_zero_point")
        block, form = _block(scheme, shape), None
        if not scheme.is_float:
            form = group_form(scheme.bits, shape[1], block[1], is_symmetric=scheme.is_symmetric)
        return QuantizedWeight(name, shape, names, _unpacking(block, grid), form)

    def _scheme_of(self, parts: StoredParts, base: str) -> _Scheme:
        """Return the scheme of a layer: that which names it, or else that of its class."""
        parts.drop(*(f"{base}.{scale}" for scale in _OF_ACTIVATIONS))
        named = [scheme for scheme in self._schemes if any(_names(target, base) for target in scheme.targets)]
        others = [scheme for scheme in self._schemes if any(_is_a_class(target) for target in scheme.targets)]
        if not (found := named or others):
            parts.refuse(f"{base} is a target of no group in config_groups")
        return found[0]

    def _take_scales(
        self, parts: StoredParts, base: str, scheme: _Scheme, shape: tuple[int, int]
    ) -> tuple[int, int]:
        """Take a weight's scales, and return the numbers of its row blocks and column blocks."""
        block = _block(scheme, shape)
        if scheme.block[1] > shape[1]:
            parts.refuse(f"{base} has {shape[1]} inputs, fewer than a group of {scheme.block[1]}")
        grid = num_groups(shape[0], block[0]), num_groups(shape[1], block[1])
        found = parts.take(f"{base}.weight_scale")
        if found != grid and not (grid == (1, 1) and found in ((), (1,))):
            parts.refuse(f"{base}.weight_scale is {list(found)}, which should be {list(grid)}")
        return grid


def _parse_group(fields: Fields, group: Fields) -> _Scheme:
    fields.word("format", None, (*_FORMATS, "mixed-precision"))
    if group.get("format") is not None:
        group.word("format", None, _FORMATS)
    targets = group.get("targets")
    if not isinstance(targets, list) or not all(isinstance(target, str) for target in targets):
        group.refuse("targets", "must be a list of names")
    for target in targets:
        _check_pattern(group, target)
    weights = group.inner("weights")
    strategy = weights.word("strategy", "tensor", _STRATEGIES)
    is_float = weights.word("type", "int", ("int", "float")) == "float"
    block = {"tensor": (0, 0), "channel": (1, 0)}.get(strategy)
    if strategy == "group":
        if weights.integer("group_size") < 1:
            weights.refuse("group_size", "must be positive")
        block = (1, weights.integer("group_size"))
    if block is None:
        block = _parse_block(weights)
    bits = weights.integer("num_bits", choices=(8,) if is_float else _PACKED_BITS)
    return _Scheme(tuple(targets), bits, is_float, weights.flag("symmetric", True), block)


def _check_pattern(group: Fields, target: str) -> None:
    try:
        re.compile(target.removeprefix("re:"))
    except re.error:
        group.refuse("targets", f"must be patterns, which {target[:50]!r} is not")


def _parse_block(weights: Fields) -> tuple[int, int]:
    block: Any = weights.get("block_structure")
    if (
        not isinstance(block, list)
        or len(block) != 2
        or not all(type(size) is int and size > 1 for size in block)
    ):
        weights.refuse("block_structure", "must be two integers above 1")
    return block[0], block[1]


def _names(target: str, base: str) -> bool:
    """Return whether a target names a layer: whole, or by a pattern for how its name begins."""
    if target.startswith("re:"):
        return re.match(target.removeprefix("re:"), base) is not None
    return target == base


def _is_a_class(target: str) -> bool:
    return target.isidentifier() and target[0].isupper()


def _block(scheme: _Scheme, shape: tuple[int, int]) -> tuple[int, int]:
    return scheme.block[0] or shape[0], scheme.block[1] or shape[1]


class _Packing(NamedTuple):
    bits: int
    group_size: int
    shape: tuple[int, int]

    def codes(self, read: Mapping[str, Tensor]) -> GroupedCodes:
        """Return a weight's integers, of which those that are stored are 2 ** (bits - 1) above its own."""
        num_outputs, num_inputs = self.shape
        codes = unpack_words(read["codes"], self.bits)[:, :num_inputs]
        zeros = torch.tensor([[1 << (self.bits - 1)]], dtype=torch.uint8)
        if "zeros" in read:
            zeros = unpack_words(read["zeros"].T, self.bits)[:, :num_outputs].T
        scales = read["scales"].reshape(-1, read["scales"].shape[-1] if read["scales"].dim() else 1)
        if len(scales) == 1:
            scales = scales.expand(num_outputs, -1)
        groups = read.get(INPUT_GROUPS)
        if groups is not None and bool((groups == _UNSET).any()):
            groups = None
        return GroupedCodes(codes, scales, zeros, self.bits, self.group_size, groups)


def _unpacking(block: tuple[int, int], grid: tuple[int, int]) -> Unpack:
    return partial(_unpack, block=block, grid=grid)


def _unpack(read: Mapping[str, Tensor], block: tuple[int, int], grid: tuple[int, int]) -> ScaledBlocks:
    return ScaledBlocks(read["values"], read["scales"].reshape(grid), block, read.get("zeros"))
