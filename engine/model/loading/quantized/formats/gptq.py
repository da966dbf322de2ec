"""GPTQ's format, as AutoGPTQ and GPTQModel write it: integers packed along the inputs."""

import re
from collections.abc import Iterator, Mapping, Sequence
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


class _Scheme(NamedTuple):
    """The way in which a layer is quantized. group_size: None for one group a row. is_symmetric: whether each
    zero is the middle.
    """

    bits: int
    group_size: int | None
    is_symmetric: bool


class _Rule(NamedTuple):
    """The scheme of layers whose names begin with a pattern; None for layers that are not quantized."""

    pattern: re.Pattern[str]
    scheme: _Scheme | None


@final
class Gptq(Format):
    """Weights of GPTQ.

    zeros_are_less_one: its first form stores each zero less one. is_reordered: whether inputs that belong to
    one group are apart, as `desc_act` has it. rules: GPTQModel's `dynamic`, of which the first that names a
    layer counts.
    """

    def __init__(
        self, scheme: _Scheme, rules: Sequence[_Rule], *, zeros_are_less_one: bool, is_reordered: bool
    ) -> None:
        self._scheme, self._rules = scheme, rules
        self._is_reordered, self._zeros_are_less_one = is_reordered, zeros_are_less_one

    @classmethod
    def parse(cls, fields: Fields) -> "Gptq":
        """Return the format that a quantization_config describes. Raises ModelNotSupported."""
        word = "checkpoint_format" if fields.get("checkpoint_format") is not None else "format"
        stored = fields.word(word, "gptq", _FORMATS)
        scheme = _parse_scheme(fields, None)
        return cls(
            scheme,
            list(_parse_rules(fields, scheme, stored)),
            zeros_are_less_one=stored == "gptq",
            is_reordered=fields.flag("desc_act", False),
        )

    @property
    @override
    def label(self) -> str:
        bits, size, _ = self._scheme
        groups = "one group a row" if size is None else f"groups of {size}"
        others = ", and of others in some layers" if any(rule.scheme for rule in self._rules) else ""
        order = ", inputs in the order of their activations" if self._is_reordered else ""
        return f"GPTQ of {bits} bits in {groups}{others}{order}"

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        for base in parts.before(".qweight"):
            yield self._weight(parts, base)

    def _weight(self, parts: StoredParts, base: str) -> QuantizedWeight:
        scheme = next((rule.scheme for rule in self._rules if rule.pattern.match(base)), self._scheme)
        if scheme is None:
            parts.refuse(f"{base}.qweight is quantized, and dynamic says that it is not")
        num_words, num_outputs = parts.take_matrix(f"{base}.qweight", ("I32",))
        num_inputs = _whole(parts, f"{base}.qweight", num_words, scheme.bits)
        size = scheme.group_size or num_inputs
        if size > num_inputs:
            parts.refuse(f"{base}.qweight has {num_inputs} inputs, fewer than a group of {size}")
        groups = num_groups(num_inputs, size)
        zero_words = -(-num_outputs * scheme.bits // WORD_BITS)
        parts.take(f"{base}.qzeros", ("I32",), (groups, zero_words))
        parts.take(f"{base}.scales", shape=(groups, num_outputs))
        names = {part: f"{base}.{part}" for part in ("qweight", "qzeros", "scales")}
        if f"{base}.g_idx" in parts.left:
            parts.take(f"{base}.g_idx", ("I32", "I64"), (num_inputs,))
            names[INPUT_GROUPS] = f"{base}.g_idx"
        shape = (num_outputs, num_inputs)
        packing = _Packing(scheme.bits, size, num_outputs, zeros_are_less_one=self._zeros_are_less_one)
        form = group_form(scheme.bits, num_inputs, size, is_symmetric=scheme.is_symmetric)
        return QuantizedWeight(f"{base}.weight", shape, names, packing.codes, form)


def _parse_scheme(fields: Fields, others: _Scheme | None) -> _Scheme:
    """Return the scheme that an object describes. others: that of layers that no rule names, if known."""
    default = others or _Scheme(0, None, True)
    group_size = fields.integer("group_size", default.group_size or -1)
    if group_size < 1 and group_size != -1:
        fields.refuse("group_size", "must be positive, or -1 for one group a row")
    return _Scheme(
        fields.integer("bits", default.bits or None, choices=_BITS),
        None if group_size == -1 else group_size,
        fields.flag("sym", default.is_symmetric),
    )


def _parse_rules(fields: Fields, others: _Scheme, stored: str) -> Iterator[_Rule]:
    """Yield the rules of `dynamic`. "-:" before a pattern says that layers are not quantized."""
    if not fields.get("dynamic"):
        return
    dynamic = fields.inner("dynamic")
    for key in dynamic.keys():  # noqa: SIM118  # of fields, which are no mapping
        try:
            pattern = re.compile(key.removeprefix("-:").removeprefix("+:"))
        except re.error:
            fields.refuse("dynamic", f"must have patterns, which {key[:50]!r} is not")
        if key.startswith("-:"):
            yield _Rule(pattern, None)
            continue
        changes = dynamic.inner(key)
        for word in ("checkpoint_format", "format"):
            changes.word(word, stored, (stored,))
        yield _Rule(pattern, _parse_scheme(changes, others))


def _whole(parts: StoredParts, name: str, num_words: int, bits: int) -> int:
    if num_words * WORD_BITS % bits:
        parts.refuse(f"{name} has {num_words} words in a column, which no {bits} bits fill")
    return num_words * WORD_BITS // bits


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
