"""Weights of torchao's classes, made number by number, and what its files say of them.

Blocks have rows and columns, of which 0 is all.
"""

import json
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from tests.unit.engine.model.loading.quantized.pairs import Quantized


def integers(weight: Tensor, *, bits: int, block: tuple[int, int], is_symmetric: bool = True) -> Quantized:
    """Int8Tensor and IntxUnpackedToInt8Tensor: a byte for each integer, of 8 bits or fewer."""
    least, grid = -(2 ** (bits - 1)), _grid(weight, block)
    values = torch.randint(least, -least, weight.shape).to(torch.int8)
    zeros = torch.zeros(grid) if is_symmetric else torch.randint(least, -least, grid)
    scales = (0.2 + torch.rand(grid)) / 2**bits
    rows, lowest, factors = values.tolist(), zeros.tolist(), scales.tolist()
    plain = [
        (rows[row][column] - lowest[above][left]) * factors[above][left]
        for row, column, (above, left) in _places(weight, block)
    ]
    return _stored(_as(weight, plain), qdata=values, scale=scales, zero_point=zeros.to(torch.int8))


def nibbles(weight: Tensor, *, group_size: int, has_offsets: bool = True) -> Quantized:
    """Int4Tensor: the first of two integers in the lower half of a byte, and a zero point that is added."""
    num_inputs = weight.shape[1]
    values = torch.randint(-8, 8, weight.shape)
    grid = _grid(weight, (1, group_size))[::-1]  # groups come first
    scales = ((0.2 + torch.rand(grid)) / 16).bfloat16()
    offsets = (has_offsets * torch.randn(grid)).bfloat16()
    rows, factors, added = values.tolist(), scales.tolist(), offsets.tolist()
    plain = [
        rows[row][column] * factors[group][output] + added[group][output]
        for row, column, (output, group) in _places(weight, (1, group_size))
    ]
    in_bytes = [
        [row[column] % 16 + 16 * (row[column + 1] % 16) for column in range(0, num_inputs, 2)] for row in rows
    ]
    qdata = torch.tensor(in_bytes, dtype=torch.uint8).view(torch.int8)
    return _stored(_as(weight, plain), qdata=qdata, scale=scales, zero_point=offsets)


def floats(weight: Tensor, *, block: tuple[int, int]) -> Quantized:
    """Float8Tensor."""
    values = (weight * 100).to(torch.float8_e4m3fn)
    scales = 0.01 * (0.5 + torch.rand(_grid(weight, block)))
    rows, factors = values.float().tolist(), scales.tolist()
    plain = [
        rows[row][column] * factors[above][left] for row, column, (above, left) in _places(weight, block)
    ]
    return _stored(_as(weight, plain), qdata=values, scale=scales)


def metadata(kind: str, **attributes: object) -> Callable[[Mapping[str, Tensor]], dict[str, str]]:
    """Return a function from stored tensors to the metadata of a file with weights of this class."""

    def of_weights(stored: Mapping[str, Tensor]) -> dict[str, str]:
        ends = "_weight_qdata", "weight"
        named = {name.removesuffix(ends[0]) + ends[1]: name for name in stored if name.endswith(ends[0])}
        described: dict[str, object] = {
            weight: {"_type": kind, "_data": _attributes(kind, stored[name].shape, attributes)}
            for weight, name in named.items()
        }
        described |= {name: {"_type": "Tensor"} for name in stored if "._weight_" not in name}
        texts = {name: json.dumps(one) for name, one in described.items()}
        return texts | {"tensor_names": json.dumps(list(described))}

    return of_weights


def _attributes(kind: str, shape: torch.Size, attributes: Mapping[str, object]) -> dict[str, object]:
    num_rows, num_columns = shape[0], shape[1] * (2 if kind == "Int4Tensor" else 1)
    found: dict[str, object] = {"shape": [num_rows, num_columns], **attributes}
    if isinstance(block := attributes.get("block_size"), tuple):
        found["block_size"] = [block[0] or num_rows, block[1] or num_columns]
    return found


def _stored(plain: Tensor, **parts: Tensor) -> Quantized:
    return Quantized({f"_weight_{part}": tensor for part, tensor in parts.items()}, plain)


def _as(weight: Tensor, numbers: list[float]) -> Tensor:
    """Return numbers, row by row, as a tensor of the weight's shape."""
    return torch.tensor(numbers).view(weight.shape)


def _grid(weight: Tensor, block: tuple[int, int]) -> tuple[int, int]:
    rows, columns = block[0] or weight.shape[0], block[1] or weight.shape[1]
    return -(-weight.shape[0] // rows), -(-weight.shape[1] // columns)


def _places(weight: Tensor, block: tuple[int, int]) -> list[tuple[int, int, tuple[int, int]]]:
    """Return the row and column of each number, and those of its block."""
    rows, columns = block[0] or weight.shape[0], block[1] or weight.shape[1]
    return [
        (row, column, (row // rows, column // columns))
        for row in range(weight.shape[0])
        for column in range(weight.shape[1])
    ]
