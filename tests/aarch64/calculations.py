"""Calculations with random numbers that call each compiled function, to be recorded."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_args

import torch
from torch import nn

from engine.attention.scores import Scores
from engine.attention.window import Window
from engine.fusion.native_layer import RmsNorm, Rotary, swiglu
from engine.fusion.native_layer_end import join_end
from engine.linear.channel_scales import channel_scales
from engine.linear.group_rounding import round_to_groups
from engine.linear.panel_linear import Float16PanelLinear, PanelLinear
from engine.linear.rounded.grouped_panels import GroupedPanels
from engine.linear.rounded.int8_linear import Int8Linear
from engine.linear.rounded.int8_weight import Int8Weight, RowBits
from engine.native.instructions import ArmInstructions
from engine.port.request import SamplingParams
from engine.sampling.native_draw import draw_rows
from engine.sampling.native_ranking import best_of_rows, log_sums_of_rows
from engine.weights.grouped_weight import ROUNDED_FORMS, GroupBits
from tests.parity.kernels import test_chunk_attention as chunks
from tests.parity.kernels import test_native_attention as decoding

_DTYPES = (torch.float32, torch.bfloat16)


def norms() -> None:
    for dtype in _DTYPES:
        for size in (1, 33, 896):
            norm = RmsNorm(torch.randn(size, dtype=dtype), 1e-4)
            residual, added = torch.randn(2, 5, size, dtype=dtype)
            norm(residual)
            norm.add(residual, added)


def rotary_embeddings() -> None:
    for dtype in _DTYPES:
        for dim in (6, 64):
            norm = RmsNorm(torch.randn(dim, dtype=dtype), 1e-4)
            angles = torch.randn(4, dim)
            rows = torch.randn(4, 18 * dim, dtype=dtype)
            for kept in (None, (norm, norm)):
                Rotary(14, 2, dim, kept)(rows.clone(), angles.cos().to(dtype), angles.sin().to(dtype))


def gates() -> None:
    for dtype in _DTYPES:
        for size in (1, 33, 1030, 2500):
            swiglu(30 * torch.randn(3, 2 * size, dtype=dtype))


def rankings() -> None:
    for dtype in _DTYPES:
        logits = torch.randn(5, 10_007, dtype=dtype)
        logits[1, 77] = torch.nan
        logits[2] = -torch.inf
        for k in (1, 20, 1000):
            best_of_rows(logits, k)
        log_sums_of_rows(logits)


def draws() -> None:
    params = [
        SamplingParams(),
        SamplingParams(top_k=50, min_p=0.01),
        SamplingParams(top_p=0.9),
        SamplingParams(typical_p=0.5),
        SamplingParams(top_k=1000, top_p=0.9, typical_p=0.9),
    ]
    for dtype in _DTYPES:
        logits = torch.randn(5, 10_007, dtype=dtype)
        logits[0, 77] = torch.nan
        draw_rows(logits, [1.0, 0.7, 1.3, 1.0, 2.0], params, torch.arange(10, dtype=torch.int32).view(5, 2))


def decoding_attention() -> None:
    for dtype in _DTYPES:
        for dims in ((64, 64), (128, 128), (96, 32), (24, 16), (5, 3)):
            for softcap in (None, 20.0):
                shape: dict[str, Any] = {"heads": (2, 7), "block_size": 4, "window": Window(40)}
                scores = Scores(0.3, softcap, torch.linspace(-2, 3, 14).to(dtype))
                lengths = [1, 17, 90]
                decoding.attend(lengths, 0, dims=dims, dtype=dtype, scores=scores, is_native=True, **shape)


def widened_layer(num_inputs: int, num_outputs: int) -> PanelLinear:
    """A layer of bfloat16 whose weight becomes float32, which every processor does."""
    linear = nn.Linear(num_inputs, num_outputs, dtype=torch.bfloat16).requires_grad_(False)
    layer = PanelLinear(linear)
    layer.products = "widened"
    return layer


def bfloat16_layers() -> None:
    for num_inputs, num_outputs in ((1, 3), (131, 72), (358, 33), (896, 64)):
        layer = widened_layer(num_inputs, num_outputs)
        for num_rows in (1, 2, 4, 6, 13, 30, 130):
            wider = torch.randn(num_rows, num_inputs + 3, dtype=torch.bfloat16)
            wider[:, num_inputs:] = torch.nan  # what follows a row
            layer(wider[:, :num_inputs])


def float16_layers() -> None:
    for num_inputs, num_outputs in ((131, 72), (896, 64)):
        linear = nn.Linear(num_inputs, num_outputs).requires_grad_(False)
        layer = Float16PanelLinear(linear.half())
        for num_rows in (1, 13, 30, 130):
            layer(torch.randn(num_rows, num_inputs, dtype=torch.bfloat16))


def growing_batches() -> None:
    """Multiply the same first rows in batches of every size."""
    layer = widened_layer(651, 40)
    rows = torch.randn(130, 651, dtype=torch.bfloat16)
    for num_rows in (*range(1, 27), 60, 97, 130):
        layer(rows[:num_rows])


def chunk_attention() -> None:
    for dtype in _DTYPES:
        for dims in ((64, 64), (96, 33), (5, 3)):
            for softcap, window in ((None, None), (20.0, Window(40))):
                scores = Scores(0.3, softcap, torch.linspace(-2, 3, 14).to(dtype))
                shape: dict[str, Any] = {"heads": (2, 7), "block_size": 4, "window": window}
                chunks.attend([(0, 150), (30, 5)], dims=dims, dtype=dtype, scores=scores, **shape)


def int8_layers() -> None:
    for dtype in _DTYPES:
        for num_inputs, num_outputs in ((5, 3), (130, 70), (896, 64)):
            weight, bias = torch.randn(num_outputs, num_inputs), torch.randn(num_outputs)
            for row_bits in get_args(RowBits):
                layer = Int8Weight.of(weight, channel_scales(weight), bias, row_bits=row_bits)
                for num_rows in (1, 2, 3, 5, 13, 30):
                    layer.multiply(torch.randn(num_rows, num_inputs, dtype=dtype))


def end_layers(kind: Callable[[int, int], nn.Module]) -> None:
    sizes = (96, 48), (48, 2 * 320), (320, 48)
    norm = RmsNorm(torch.randn(48).bfloat16(), 1e-5)
    end = join_end(kind(*sizes[0]), norm, kind(*sizes[1]), kind(*sizes[2]))
    assert end is not None
    for num_rows in (1, 3, 13, 100):
        end(*(torch.randn(num_rows, size, dtype=torch.bfloat16) for size in (48, 96)))


def bfloat16_layer_ends() -> None:
    end_layers(widened_layer)


def int8_layer_ends() -> None:
    end_layers(lambda *size: Int8Linear(nn.Linear(*size).bfloat16().requires_grad_(False)))


def layers_in_groups() -> None:
    for dtype in _DTYPES:
        forms: list[tuple[GroupBits, int]] = [
            *((4, 16), (4, 32), (4, 128), (5, 32), (5, 128), (6, 16), (6, 32), (8, 16), (8, 32))
        ]
        for bits, group_size in forms:
            for symmetric in (True, False):
                weight = round_to_groups(torch.randn(70, 384), bits, group_size, symmetric=symmetric)
                layer = GroupedPanels.of(weight, torch.randn(70))
                for num_rows in (1, 4, 13, 30):
                    layer.multiply(torch.randn(num_rows, 384, dtype=dtype))
        for form in ROUNDED_FORMS.values():
            GroupedPanels.rounded(torch.randn(70, 384, dtype=dtype), None, form)
        in_order = round_to_groups(torch.randn(70, 384), 4, 128)
        layer = GroupedPanels.of(in_order._replace(order=torch.randperm(384).int()), None)
        for num_rows in (1, 13):
            layer.multiply(torch.randn(num_rows, 384, dtype=dtype))


class Calculation(NamedTuple):
    """calculate: makes the calls, num_calls of them. least: the set that has the functions called.

    renamed: the functions to be called there, by those that are called here, which every processor has.
    """

    calculate: Callable[[], None]
    num_calls: int
    least: ArmInstructions = ArmInstructions.ARMV8
    renamed: Mapping[str, str] = {}


_WITH_PAIRS = ArmInstructions.ARMV8_BF16
IN_PAIRS = {
    "verbatim_widened_linear": "verbatim_pairs_linear",
    "verbatim_widened_layer_end": "verbatim_pairs_layer_end",
}

CALCULATIONS = {
    "norms": Calculation(norms, 12),
    "rotary embeddings": Calculation(rotary_embeddings, 8),
    "gates": Calculation(gates, 8),
    "rankings": Calculation(rankings, 8),
    "draws": Calculation(draws, 2),
    "decoding attention": Calculation(decoding_attention, 20),
    "bfloat16 layers": Calculation(bfloat16_layers, 36),
    "bfloat16 layers in pairs": Calculation(bfloat16_layers, 36, _WITH_PAIRS, IN_PAIRS),
    "float16 layers": Calculation(float16_layers, 12),
    "chunk attention": Calculation(chunk_attention, 12),
    "int8 layers": Calculation(int8_layers, 96),
    "bfloat16 layer ends": Calculation(bfloat16_layer_ends, 10),
    "bfloat16 layer ends in pairs": Calculation(bfloat16_layer_ends, 10, _WITH_PAIRS, IN_PAIRS),
    "int8 layer ends": Calculation(int8_layer_ends, 13),
    "layers in groups": Calculation(layers_in_groups, 248),
}
