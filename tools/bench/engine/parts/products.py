"""Measure the products of linear layers in bfloat16 and in 8 to 4 bits, by turns, by number of rows.

Copies of the weights that exceed the caches are used by turns, so that products with few rows read from
memory.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Final

import torch
from torch import Tensor, nn

from engine.linear.panel_linear import PanelLinear
from engine.linear.rounded.grouped_linear import GroupedLinear
from engine.linear.rounded.int8_linear import Int8Linear
from engine.linear.rounded.rounded_linear import RoundedLinear
from engine.model.loading.gguf.group_forms import FORMS
from engine.native.instructions import usable_label
from engine.weights.grouped_weight import ROUNDED_FORMS, GroupedWeight, GroupForm
from tools.bench.table import Row, print_table

# Input and output sizes of layers in Qwen2.5-0.5B: the MLP's first and second products, and the qkv product.
SHAPES: Final = ((896, 9728), (4864, 896), (896, 1152))
_ROWS: Final = (1, 8, 32, 256)
_LEAST_WEIGHTS: Final = 160 << 20  # 80 MiB in 4 bits


def _as_in_files(linear: nn.Linear, form: GroupForm) -> GroupedLinear:
    """Return a layer of the same size in a format of checkpoint files, with arbitrary integers."""
    shape = linear.out_features, linear.in_features
    values = torch.randint(0, 1 << form.bits, shape, dtype=torch.uint8)
    scales = torch.rand(shape[0], shape[1] // form.group_size).half()
    if form.bits == 8:
        values = values.view(torch.int8)
    mins = -scales if form.has_mins else None
    return GroupedLinear.of(GroupedWeight(values, scales, mins, form.group_size, form.bits), None)


KINDS: Final[dict[str, Callable[[nn.Linear], nn.Module]]] = {
    "bf16": PanelLinear,
    "int8": Int8Linear,
    **{name: partial(GroupedLinear.rounded_to, form) for name, form in ROUNDED_FORMS.items()},
    **{kind: partial(_as_in_files, form=form) for kind, form in FORMS.items() if form.bits > 4},
}


@torch.inference_mode()
async def run(arguments: argparse.Namespace) -> list[Row]:
    print(f"{usable_label()}; medians of {arguments.rounds} turns; GB/s of weights as they are in memory")
    rows = []
    for num_inputs, num_outputs in SHAPES:
        layers = {kind: _layers(kind, num_inputs, num_outputs) for kind in arguments.kinds}
        for num_rows in arguments.rows:
            rows += _measure(layers, torch.randn(num_rows, num_inputs).bfloat16(), arguments.rounds)
    print_table(rows)
    return rows


def _layers(kind: str, num_inputs: int, num_outputs: int) -> list[nn.Module]:
    linear = nn.Linear(num_inputs, num_outputs, bias=False, dtype=torch.bfloat16).requires_grad_(False)
    return [KINDS[kind](linear) for _ in range(_LEAST_WEIGHTS // (num_inputs * num_outputs))]


def _measure(layers: dict[str, list[nn.Module]], rows: Tensor, num_turns: int) -> list[Row]:
    times: dict[str, list[float]] = {kind: [] for kind in layers}
    for turn in range(num_turns):
        for kind, some in layers.items():
            num_calls = max(1, len(some) // (1 + len(rows) // 16))
            started = time.perf_counter()
            for index in range(num_calls):
                some[(turn * num_calls + index) % len(some)](rows)
            times[kind].append((time.perf_counter() - started) / num_calls)
    return [_row(kind, layers[kind][0], len(rows), median(times[kind])) for kind in layers]


def _row(kind: str, layer: nn.Module, num_rows: int, seconds: float) -> Row:
    assert isinstance(layer, PanelLinear | RoundedLinear)
    num_inputs, num_outputs, panels = layer.in_features, layer.out_features, layer.packed.panels
    return {
        "layer": f"{num_inputs} x {num_outputs}",
        "rows": num_rows,
        "kind": kind,
        "µs": round(1e6 * seconds, 1),
        "GB/s": round(panels.nbytes / seconds / 1e9, 1),
        "GFLOP/s": round(2 * num_rows * num_inputs * num_outputs / seconds / 1e9),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, nargs="+", default=_ROWS, help="numbers of rows")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS, help="kinds of weights")
    parser.add_argument("--rounds", type=int, default=9)
