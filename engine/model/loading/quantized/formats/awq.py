"""AWQ's format, as AutoAWQ writes it for its GEMM kernels: integers packed along the outputs, in an order."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, final

from torch import Tensor
from typing_extensions import override

from engine.model.loading.quantized.bit_fields import WORD_BITS, unpack_words
from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.grouped_codes import GroupedCodes
from engine.model.loading.quantized.grouping import group_form
from engine.model.loading.quantized.quantized_weight import Format, QuantizedWeight
from engine.model.loading.quantized.stored_parts import StoredParts, num_groups
from engine.model.loading.quantized.tensor_files import TensorFiles

_BITS: Final = 4
_IN_A_WORD: Final = WORD_BITS // _BITS
_ORDER: Final = [0, 4, 1, 5, 2, 6, 3, 7]  # the place in a word of each of 8 outputs


@final
class Awq(Format):
    """Weights of AWQ."""

    def __init__(self, group_size: int | None) -> None:
        self._group_size = group_size

    @classmethod
    def parse(cls, fields: Fields) -> "Awq":
        """Return the format that a quantization_config describes. Raises ModelNotSupported."""
        version = fields.get("version")
        if str(version or "gemm").lower() != "gemm":
            fields.refuse("version", "of weights that are unpacked is gemm")
        fields.integer("w_bit" if fields.get("w_bit") is not None else "bits", choices=(_BITS,))
        word = "q_group_size" if fields.get("q_group_size") is not None else "group_size"
        group_size = fields.integer(word, 128)
        if group_size < 1 and group_size != -1:
            fields.refuse(word, "must be positive, or -1 for one group a row")
        return cls(None if group_size == -1 else group_size)

    @property
    @override
    def label(self) -> str:
        groups = "one group a row" if self._group_size is None else f"groups of {self._group_size}"
        return f"AWQ of {_BITS} bits in {groups}"

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        for base in parts.before(".qweight"):
            num_inputs, num_words = parts.take_matrix(f"{base}.qweight", ("I32",))
            num_outputs = num_words * _IN_A_WORD
            size = self._group_size or num_inputs
            if num_inputs % size:
                parts.refuse(f"{base}.qweight has {num_inputs} inputs, which are no groups of {size}")
            groups = num_groups(num_inputs, size)
            parts.take(f"{base}.qzeros", ("I32",), (groups, num_words))
            parts.take(f"{base}.scales", shape=(groups, num_outputs))
            names = {part: f"{base}.{part}" for part in ("qweight", "qzeros", "scales")}
            shape = (num_outputs, num_inputs)
            form = group_form(_BITS, num_inputs, size, is_symmetric=False)
            yield QuantizedWeight(f"{base}.weight", shape, names, _Packing(size).codes, form)


class _Packing(NamedTuple):
    group_size: int

    def codes(self, read: Mapping[str, Tensor]) -> GroupedCodes:
        """Return a weight's integers. read: the stored tensors."""
        codes, zeros = (_in_order(unpack_words(read[part], _BITS)).T for part in ("qweight", "qzeros"))
        return GroupedCodes(codes, read["scales"].T, zeros, _BITS, self.group_size, None)


def _in_order(packed: Tensor) -> Tensor:
    return packed.view(len(packed), -1, _IN_A_WORD)[:, :, _ORDER].flatten(1)
