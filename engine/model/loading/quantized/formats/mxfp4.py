"""Experts of 4-bit floats in groups of 32 with a power of two each (`quant_method` mxfp4), as gpt-oss's."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, final

import torch
from torch import Tensor
from typing_extensions import override

from engine.model.loading.quantized.bit_fields import unpack_nibbles
from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.quantized_weight import Format, QuantizedWeight
from engine.model.loading.quantized.scaled_blocks import Malformed, scale_blocks
from engine.model.loading.quantized.stored_parts import StoredParts
from engine.model.loading.quantized.tensor_files import TensorFiles

_GROUP: Final = 32
_BIAS: Final = 127  # of an exponent of 8 bits
_NAN: Final = 255  # OCP Microscaling Formats 1.0, section 5.4.1
_MAGNITUDES: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # of E2M1, section 5.3.3


@final
class Mxfp4(Format):
    """Weights of gpt-oss's experts; the other layers are plain."""

    @classmethod
    def parse(cls, fields: Fields) -> "Mxfp4":
        """Return the format; its description has nothing that it depends on."""
        return cls()

    @property
    @override
    def label(self) -> str:
        return f"MXFP4, 4-bit floats in groups of {_GROUP}"

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        for name in parts.before("_blocks"):
            shape = parts.take(f"{name}_blocks", ("U8",))
            if len(shape) != 4 or shape[-1] != _GROUP // 2:
                parts.refuse(f"{name}_blocks is {list(shape)}, which should be groups of {_GROUP // 2} bytes")
            num_experts, num_outputs, groups, _ = shape
            parts.take(f"{name}_scales", ("U8",), shape[:-1])
            stored = {"blocks": f"{name}_blocks", "scales": f"{name}_scales"}
            yield QuantizedWeight(name, (num_experts, groups * _GROUP, num_outputs), stored, _unpack)


class Float4Experts(NamedTuple):
    """The floats of all experts of a layer.

    blocks: bytes of two floats, [num_experts, num_outputs, num_groups, 16]. scales: the exponents of groups.
    """

    blocks: Tensor
    scales: Tensor

    def dense(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weights, [num_experts, num_inputs, num_outputs]. Raises Malformed for NaN."""
        if bool((self.scales == _NAN).any()):
            raise Malformed("its scales hold NaN")
        num_experts, num_outputs, groups, _ = self.blocks.shape
        result = torch.empty(num_experts, groups * _GROUP, num_outputs, dtype=dtype)
        for expert, (blocks, exponents) in enumerate(zip(self.blocks, self.scales, strict=True)):
            values = float4_values(blocks.flatten(1))
            scales = torch.exp2(exponents.float() - _BIAS)
            result[expert] = scale_blocks(values, scales, (1, _GROUP), dtype).T
        return result


def float4_values(in_bytes: Tensor) -> Tensor:
    """Return the floats (E2M1) of bytes, the lower half first, along the last dimension; as float16."""
    table = torch.tensor([*_MAGNITUDES, *(-value for value in _MAGNITUDES)], dtype=torch.float16)
    return table[unpack_nibbles(in_bytes).int()]


def _unpack(read: Mapping[str, Tensor]) -> Float4Experts:
    return Float4Experts(read["blocks"], read["scales"])
