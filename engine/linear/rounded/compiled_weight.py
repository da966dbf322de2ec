"""A linear layer's weight that compiled code multiplies with rows that it rounds at each call."""

import ctypes
from abc import ABC, abstractmethod

import torch
from torch import Tensor

from engine.linear.packed_weight import PackedWeight
from engine.native.structures import WeightFields


class CompiledWeight(ABC):
    """A weight packed in panels. Requires compiled code.

    packed: its panels, whose tensors stay alive as long as it does. fields: the structure that compiled code
    reads.
    """

    packed: PackedWeight
    fields: WeightFields

    def multiply(self, rows: Tensor) -> Tensor:
        """Return the product with rows [num_rows, num_inputs]: [num_rows, num_outputs] of their dtype."""
        if rows.dtype not in (torch.float32, torch.bfloat16):
            return self.multiply(rows.float()).to(rows.dtype)
        if rows.stride(1) != 1:
            rows = rows.contiguous()
        output = torch.empty(len(rows), self.packed.num_outputs, dtype=rows.dtype)
        self._write_product(rows, output)
        return output

    @abstractmethod
    def _write_product(self, rows: Tensor, output: Tensor) -> None:
        """Write the product with rows of float32 or bfloat16, whose numbers lie next to each other."""


# A weight's structure, the rows with the numbers between them, how many they are, and the outputs.
PRODUCT_ARGUMENTS = (
    *(ctypes.POINTER(WeightFields), ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p),
    ctypes.c_int32,  # whether rows and outputs are bfloat16
)


def product_arguments(
    weight: CompiledWeight, rows: Tensor, output: Tensor
) -> tuple[WeightFields, int, int, int, int, bool]:
    """Return the arguments that `PRODUCT_ARGUMENTS` describes."""
    is_bfloat16 = rows.dtype == torch.bfloat16
    return weight.fields, rows.data_ptr(), rows.stride(0), len(rows), output.data_ptr(), is_bfloat16
