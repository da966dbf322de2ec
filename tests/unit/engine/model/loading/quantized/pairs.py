"""Tiny checkpoints in pairs: a quantized one, and one of the plain weights that it stands for.

They are made by loops over single numbers, as formats are described, and share no code with the engine.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import copytree
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from tests.support.tiny_models.text import save_tiny_model

WEIGHTS = "model.safetensors"


class Quantized(NamedTuple):
    """The result of quantizing a weight. stored: by the ends of names. plain: what they stand for."""

    stored: dict[str, Tensor]
    plain: Tensor


class Pair(NamedTuple):
    """The directories of both checkpoints."""

    quantized: Path
    plain: Path


def save_pair(
    directory: Path,
    description: Mapping[str, Any],
    quantize: Callable[[Tensor], Quantized],
    architecture: str = "llama",
    *,
    part: str = ".layers.",
    ends: Sequence[str] = ("proj.weight",),
    metadata: Callable[[dict[str, Tensor]], dict[str, str]] = lambda _: {},
    **changes: Any,
) -> Pair:
    """Quantize the weights of a tiny model whose names have this part and one of these ends.

    The stored tensors are named after the weight, without "weight".
    """
    changes = {"hidden_size": 64, "num_hidden_layers": 2} | changes
    pair = Pair(directory / "quantized", directory / "plain")
    save_tiny_model(pair.quantized, architecture, **changes)
    copytree(pair.quantized, pair.plain)
    torch.manual_seed(1)
    stored: dict[str, Tensor] = {}
    plain: dict[str, Tensor] = {}
    for name, tensor in load_file(pair.plain / WEIGHTS).items():
        if part in name and name.endswith(tuple(ends)):
            made = quantize(tensor)
            base = name.removesuffix("weight")
            stored |= {base + end: part.contiguous() for end, part in made.stored.items()}
            plain[name] = made.plain.contiguous()
        else:
            stored[name] = plain[name] = tensor
    save_file(stored, pair.quantized / WEIGHTS, {"format": "pt", **metadata(stored)})
    save_file(plain, pair.plain / WEIGHTS, {"format": "pt"})
    describe(pair.quantized, description)
    return pair


def describe(directory: Path, description: object) -> None:
    """Write the quantization_config of a checkpoint."""
    path = directory / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "quantization_config": description}))


def words(rows: Tensor, bits: int) -> Tensor:
    """Pack the integers of each row into words of 32 bits, the first integer lowest."""
    packed = []
    for row in rows.tolist():
        number = sum(value << (bits * place) for place, value in enumerate(row))
        num_bytes = -(-len(row) * bits // 32) * 4
        packed.append(torch.frombuffer(bytearray(number.to_bytes(num_bytes, "little")), dtype=torch.int32))
    return torch.stack(packed)


def random_codes(num_outputs: int, num_inputs: int, num_groups: int, bits: int) -> tuple[Tensor, ...]:
    """Return integers, [num_outputs, num_inputs], and the zeros and scales of groups."""
    codes = torch.randint(0, 2**bits, (num_outputs, num_inputs))
    zeros = torch.randint(0, 2**bits, (num_outputs, num_groups))
    scales = (0.2 + torch.rand(num_outputs, num_groups)) / 2**bits
    return codes, zeros, scales.half()


def plain_weight(codes: Tensor, zeros: Tensor, scales: Tensor, groups: Sequence[int]) -> Tensor:
    """Return the weight that these integers stand for, number by number.

    All makers loop over lists: to index a tensor takes fifty times as long.
    """
    rows = zip(codes.tolist(), zeros.tolist(), scales.tolist(), strict=True)
    return torch.tensor(
        [
            [(code - zero[group]) * scale[group] for code, group in zip(row, groups, strict=True)]
            for row, zero, scale in rows
        ]
    )


def compressed(format: str, **weights: Any) -> dict[str, Any]:
    """Return the description of a checkpoint whose layers are all quantized in one way."""
    group = {"targets": ["Linear"], "weights": {"type": "int", "symmetric": True} | weights}
    return {"quant_method": "compressed-tensors", "format": format, "config_groups": {"group_0": group}}
