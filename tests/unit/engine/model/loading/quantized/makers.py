"""Quantized weights of each format, made number by number."""

import json
from typing import Literal

import torch
from torch import Tensor

from tests.unit.engine.model.loading.quantized.pairs import Quantized, plain_weight, random_codes, words

# How the groups of inputs lie: as of `groups_of_inputs`.
Order = Literal["shared", "own", "uneven"]


def groups_of_inputs(num_inputs: int, group_size: int, order: Order | None) -> list[int]:
    """Return the group of each input.

    order: whether inputs are in an order that all weights of so many inputs share, or that each has for
    itself; "uneven": whether one group has an input more than the others, and one fewer. None: groups follow
    one another.
    """
    groups = [index // group_size for index in range(num_inputs)]
    if order == "uneven":
        return [max(groups), *groups[1:]]
    if order is None:
        return groups
    generator = torch.Generator().manual_seed(num_inputs) if order == "shared" else None
    return [groups[index] for index in torch.randperm(num_inputs, generator=generator).tolist()]


def gptq(
    weight: Tensor, *, bits: int, group_size: int, version: int = 1, order: Order | None = None
) -> Quantized:
    num_outputs, num_inputs = weight.shape
    size = num_inputs if group_size == -1 else group_size
    groups = groups_of_inputs(num_inputs, size, order)
    codes, zeros, scales = random_codes(num_outputs, num_inputs, max(groups) + 1, bits)
    plain = plain_weight(codes, zeros, scales, groups)
    if version == 1 and bits == 3:
        packed = words((zeros.T - 1) % 8, bits)
    else:
        packed = words(zeros.T, bits)
        if version == 1:  # one less in each integer, with a borrow from the next, as GPTQModel computes it
            ones = sum(1 << shift for shift in range(0, 32, bits))
            less = ((packed.long() & 0xFFFFFFFF) - ones) % 2**32
            packed = (less - (less >= 2**31).long() * 2**32).int()
    stored = {
        "qweight": words(codes.T.contiguous().T, bits).T,
        "qzeros": packed,
        "scales": scales.T,
        "g_idx": torch.tensor(groups, dtype=torch.int32),
    }
    return Quantized(stored, plain)


def awq(weight: Tensor, *, group_size: int) -> Quantized:
    num_outputs, num_inputs = weight.shape
    groups = [index // group_size for index in range(num_inputs)]
    codes, zeros, scales = random_codes(num_outputs, num_inputs, max(groups) + 1, 4)
    stored = {"qweight": _interleaved(codes.T), "qzeros": _interleaved(zeros.T), "scales": scales.T}
    return Quantized(stored, plain_weight(codes, zeros, scales, groups))


def _interleaved(rows: Tensor) -> Tensor:
    """Pack 8 outputs into each word, in the order that AutoAWQ's kernels unpack fastest."""
    packed = []
    for row in rows.tolist():
        words_of_row = []
        for start in range(0, len(row), 8):
            word = 0
            for place, output in enumerate((0, 2, 4, 6, 1, 3, 5, 7)):
                word |= row[start + output] << (4 * place)
            words_of_row.append(word - 2**32 if word >= 2**31 else word)
        packed.append(words_of_row)
    return torch.tensor(packed, dtype=torch.int32)


def block_float8(weight: Tensor, *, block: tuple[int, int] | None) -> Quantized:
    num_rows, num_columns = weight.shape
    rows, columns = block or (num_rows, num_columns)
    stored = (weight * 100).to(torch.float8_e4m3fn)
    scales = 0.01 * (0.5 + torch.rand(-(-num_rows // rows), -(-num_columns // columns)))
    values, factors = stored.float().tolist(), scales.tolist()
    plain = [
        [values[row][column] * factors[row // rows][column // columns] for column in range(num_columns)]
        for row in range(num_rows)
    ]
    inverse = scales if block else scales[0, 0]
    return Quantized({"weight": stored, "weight_scale_inv": inverse}, torch.tensor(plain))


def packed(
    weight: Tensor, *, bits: int, group_size: int, is_symmetric: bool, order: Order | None = None
) -> Quantized:
    """compressed-tensors' pack-quantized: integers are stored 2 ** (bits - 1) above their own."""
    num_outputs, num_inputs = weight.shape
    groups = groups_of_inputs(num_inputs, group_size, order)
    codes, zeros, scales = random_codes(num_outputs, num_inputs, max(groups) + 1, bits)
    stored = {
        "weight_packed": words(codes, bits),
        "weight_shape": torch.tensor(weight.shape),
        "weight_scale": scales,
    }
    if is_symmetric:
        zeros = torch.full_like(zeros, 2 ** (bits - 1))
    else:
        stored["weight_zero_point"] = words(zeros.T, bits).T
    if order is not None:
        stored["weight_g_idx"] = torch.tensor(groups, dtype=torch.int32)
    return Quantized(stored, plain_weight(codes, zeros, scales, groups))


def rows_of_8_bits(weight: Tensor, *, dtype: torch.dtype) -> Quantized:
    """compressed-tensors' int-quantized and float-quantized, with a scale for each row."""
    values = torch.randint(-128, 128, weight.shape).to(dtype)
    scales = (0.5 + torch.rand(len(weight), 1)) / 100
    plain = torch.stack([row.float() * scale for row, scale in zip(values, scales, strict=True)])
    return Quantized({"weight": values, "weight_scale": scales}, plain)


def mxfp4(weight: Tensor) -> Quantized:
    """gpt-oss's experts: [num_experts, num_inputs, num_outputs], stored by outputs."""
    num_experts, num_inputs, num_outputs = weight.shape
    blocks = torch.randint(0, 256, (num_experts, num_outputs, num_inputs // 32, 16)).to(torch.uint8)
    scales = torch.randint(124, 129, blocks.shape[:-1]).to(torch.uint8)
    plain = []  # by experts, outputs and inputs
    for all_bytes, exponents in zip(
        blocks.flatten(0, 1).tolist(), scales.flatten(0, 1).tolist(), strict=True
    ):
        for index in range(num_inputs):
            group, place = divmod(index, 32)
            byte = all_bytes[group][place // 2]
            scale = 2.0 ** (exponents[group] - 127)
            plain.append(scale * _float4((byte >> 4) if place % 2 else byte % 16))
    by_outputs = torch.tensor(plain).view(num_experts, num_outputs, num_inputs)
    return Quantized({"_blocks": blocks, "_scales": scales}, by_outputs.mT.contiguous())


def _float4(bits: int) -> float:
    """Return a float of one sign, two bits of exponent and one of mantissa."""
    sign = -1.0 if bits & 8 else 1.0
    exponent, mantissa = (bits >> 1) & 3, bits & 1
    return sign * (2.0 ** (exponent - 1) * (1 + mantissa / 2) if exponent else mantissa / 2)


def table_of_4_bits(weight: Tensor, *, is_nested: bool) -> Quantized:
    """bitsandbytes' nf4: the first number of a pair in the higher half of a byte."""
    block_size, nested_size, offset = 64, 16, 0.75
    codes = torch.randint(0, 16, (weight.numel(),))
    table = torch.linspace(-1, 1, 16) ** 3
    state = {"quant_type": "nf4", "blocksize": block_size, "dtype": "float32", "shape": list(weight.shape)}
    num_blocks = -(-weight.numel() // block_size)
    stored = {"weight": (codes[::2] * 16 + codes[1::2]).to(torch.uint8)[:, None], "weight.quant_map": table}
    if is_nested:
        places = torch.randint(0, 256, (num_blocks,))
        nested_table, nested = torch.rand(256), torch.rand(-(-num_blocks // nested_size))
        scales = [
            float(nested_table[place] * nested[block // nested_size] + offset)
            for block, place in enumerate(places.tolist())
        ]
        stored |= {
            "weight.absmax": places.to(torch.uint8),
            "weight.nested_absmax": nested,
            "weight.nested_quant_map": nested_table,
        }
        state |= {"nested_blocksize": nested_size, "nested_dtype": "float32", "nested_offset": offset}
    else:
        stored["weight.absmax"] = torch.rand(num_blocks)
        scales = stored["weight.absmax"].tolist()
    text = json.dumps(state).encode()
    stored["weight.quant_state.bitsandbytes__nf4"] = torch.tensor(list(text), dtype=torch.uint8)
    values = table.tolist()
    plain = [values[code] * scales[place // block_size] for place, code in enumerate(codes.tolist())]
    return Quantized(stored, torch.tensor(plain).view(weight.shape))


def integers_of_rows(weight: Tensor) -> Quantized:
    """bitsandbytes' 8 bits: the largest number of each row is 127."""
    values = torch.randint(-127, 128, weight.shape).to(torch.int8)
    largest = 0.5 + torch.rand(len(weight))
    plain = torch.stack([row.float() * (scale / 127) for row, scale in zip(values, largest, strict=True)])
    order = torch.tensor(0, dtype=torch.uint8)
    return Quantized({"weight": values, "SCB": largest, "weight_format": order}, plain)
