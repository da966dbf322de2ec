"""GPTQ's format, as AutoGPTQ and GPTQModel write it: integers packed along the inputs."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, final

import torch
from torch import Tensor
from typing_extensions import override

from engine.model.loading.quantized.bit_fields import WORD_BITS, unpack_words
from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.grouped_codes import GroupedCodes
from engine.model.loading.quantized.grouping import group_form
from engine.model.loading.quantized.quantized_weight import INPUT_GROUPS, Format, QuantizedWeight
from engine.model.loading.quantized.stored_parts import StoredParts, num_groups
from engine.model.loading.quantized.tensor_files import TensorFiles

_BITS: Final = (2, 3, 4, 8)
_FORMATS: Final = ("gptq", "gptq_v2")


@final
class Gptq(Format):
    """Weights of GPTQ.

    zeros_are_less_one: its first form stores each zero less one. is_reordered: whether inputs that belong to
    one group are apart, as `desc_act` has it. is_symmetric: whether each zero is the middle.
    """

    def __init__(
        self,
        bits: int,
        group_size: int | None,
        *,
        zeros_are_less_one: bool,
        is_reordered: bool,
        is_symmetric: bool,
    ) -> None:
        self._bits = bits
        self._group_size = group_size
        self._is_reordered, self._is_symmetric = is_reordered, is_symmetric
        self._zeros_are_less_one = zeros_are_less_one

    @classmethod
    def parse(cls, fields: Fields) -> "Gptq":
        """Return the format that a quantization_config describes. Raises ModelNotSupported."""
        if fields.get("dynamic"):
            fields.refuse("dynamic", "must be empty, since layers of several formats are not unpacked")
        word = "checkpoint_format" if fields.get("checkpoint_format") is not None else "format"
        stored = fields.word(word, "gptq", _FORMATS)
        group_size = fields.integer("group_size", -1)
        if group_size < 1 and group_size != -1:
            fields.refuse("group_size", "must be positive, or -1 for one group a row")
        return cls(
            fields.integer("bits", choices=_BITS),
            None if group_size == -1 else group_size,
            zeros_are_less_one=stored == "gptq",
            is_reordered=fields.flag("desc_act", False),
            is_symmetric=fields.flag("sym", True),
        )

    @property
    @override
    def label(self) -> str:
        groups = "one group a row" if self._group_size is None else f"groups of {self._group_size}"
        order = ", inputs in the order of their activations" if self._is_reordered else ""
        return f"GPTQ of {self._bits} bits in {groups}{order}"

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        for base in parts.before(".qweight"):
            yield self._weight(parts, base)

    def _weight(self, parts: StoredParts, base: str) -> QuantizedWeight:
        num_words, num_outputs = parts.take_matrix(f"{base}.qweight", ("I32",))
        num_inputs = self._whole(parts, f"{base}.qweight", num_words)
        size = self._group_size or num_inputs
        if size > num_inputs:
            parts.refuse(f"{base}.qweight has {num_inputs} inputs, fewer than a group of {size}")
        groups = num_groups(num_inputs, size)
        zero_words = -(-num_outputs * self._bits // WORD_BITS)
        parts.take(f"{base}.qzeros", ("I32",), (groups, zero_words))
        parts.take(f"{base}.scales", shape=(groups, num_outputs))
        names = {part: f"{base}.{part}" for part in ("qweight", "qzeros", "scales")}
        if f"{base}.g_idx" in parts.left:
            parts.take(f"{base}.g_idx", ("I32", "I64"), (num_inputs,))
            names[INPUT_GROUPS] = f"{base}.g_idx"
        shape = (num_outputs, num_inputs)
        packing = _Packing(self._bits, size, num_outputs, zeros_are_less_one=self._zeros_are_less_one)
        form = group_form(self._bits, num_inputs, size, is_symmetric=self._is_symmetric)
        return QuantizedWeight(f"{base}.weight", shape, names, packing.codes, form)

    def _whole(self, parts: StoredParts, name: str, num_words: int) -> int:
        if num_words * WORD_BITS % self._bits:
            parts.refuse(f"{name} has {num_words} words in a column, which no {self._bits} bits fill")
        return num_words * WORD_BITS // self._bits


class _Packing(NamedTuple):
    bits: int
    group_size: int
    num_outputs: int
    zeros_are_less_one: bool

    def codes(self, read: Mapping[str, Tensor]) -> GroupedCodes:
        """Return a weight's integers. read: the stored tensors."""
        codes, zeros = unpack_words(read["qweight"].T, self.bits), self._zeros(read["qzeros"])
        return GroupedCodes(
            codes, read["scales"].T, zeros, self.bits, self.group_size, read.get(INPUT_GROUPS)
        )

    def _zeros(self, words: Tensor) -> Tensor:
        """Return the zeros, [num_outputs, num_groups].

        GPTQModel subtracts one from all zeros of a word at once, so that a zero of 0 borrows from the next;
        added at once, one restores them.
        """
        if self.zeros_are_less_one and 8 % self.bits == 0:
            ones = sum(1 << shift for shift in range(0, WORD_BITS, self.bits))
            words = words + torch.tensor(ones).to(torch.int32)
        zeros = unpack_words(words, self.bits)
        if self.zeros_are_less_one and 8 % self.bits:
            zeros = (zeros + 1) & ((1 << self.bits) - 1)
        return zeros[:, : self.num_outputs].T
