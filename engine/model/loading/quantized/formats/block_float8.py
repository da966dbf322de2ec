"""8-bit floats with a scale for each block, each row or each weight (`quant_method` fp8), as DeepSeek's."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, final

from torch import Tensor
from typing_extensions import override

from engine.model.loading.quantized.fields import Fields
from engine.model.loading.quantized.quantized_weight import Format, QuantizedWeight
from engine.model.loading.quantized.scaled_blocks import ScaledBlocks
from engine.model.loading.quantized.stored_parts import FLOATS, StoredParts, num_groups
from engine.model.loading.quantized.tensor_files import TensorFiles

FLOAT8: Final = ("F8_E4M3", "F8_E5M2")
_SCALES: Final = (*FLOATS, "F8_E8M0")
# What a weight's scales are called, by the end of its own name: transformers' and DeepSeek's names,
# those of AutoFP8 and llm-compressor, DeepSeek V4's, Mistral's.
_NAMES: Final = ("{}_scale_inv", "{}_scale", "{base}.scale", "{base}.qscale_weight")
_OF_ACTIVATIONS: Final = ("activation_scale", "input_scale", "qscale_act")


@final
class BlockFloat8(Format):
    """Weights of 8-bit floats. block: rows and columns of a scale; None: one scale for a whole weight."""

    def __init__(self, block: tuple[int, int] | None) -> None:
        self._block = block

    @classmethod
    def parse(cls, fields: Fields) -> "BlockFloat8":
        """Return the format that a quantization_config describes. Raises ModelNotSupported."""
        block = fields.get("weight_block_size")
        if block is None:
            return cls(None)
        if (
            not isinstance(block, list)
            or len(block) != 2
            or not all(isinstance(size, int) and not isinstance(size, bool) and size > 0 for size in block)
        ):
            fields.refuse("weight_block_size", "must be two positive integers")
        return cls((block[0], block[1]))

    @property
    @override
    def label(self) -> str:
        if self._block is None:
            return "8-bit floats with a scale for each weight"
        return f"8-bit floats in blocks of {self._block[0]} x {self._block[1]}"

    @override
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        names = sorted(name for name, tensor in parts.left.items() if tensor.dtype in FLOAT8)
        for name in names:
            base = name.rpartition(".")[0]
            shape = parts.take(name, FLOAT8)
            if len(shape) < 2:
                parts.refuse(f"{name} is {list(shape)}, which should have two dimensions")
            scales = _name_of_scales(parts, name, base)
            block = self._block or shape[-2:]
            whole = (*shape[:-2], num_groups(shape[-2], block[0]), num_groups(shape[-1], block[1]))
            found = parts.take(scales, _SCALES)
            if found != whole and (self._block or found not in ((), (1,), shape[:-2], (shape[0], 1))):
                parts.refuse(f"{scales} is {list(found)}, which should be {list(whole)}")
            if self._block is None and found == (shape[0], 1):
                block = (1, shape[1])
            parts.drop(*(f"{base}.{scale}" for scale in _OF_ACTIVATIONS), f"{name}_activation_scale")
            yield QuantizedWeight(
                name, shape, {"weight": name, "scales": scales}, partial(_unpack, block=(block[0], block[1]))
            )


def _name_of_scales(parts: StoredParts, name: str, base: str) -> str:
    names = [pattern.format(name, base=base) for pattern in _NAMES]
    return next((known for known in names if known in parts.left), names[0])


def _unpack(read: Mapping[str, Tensor], block: tuple[int, int]) -> ScaledBlocks:
    return ScaledBlocks(read["weight"], read["scales"], block)
