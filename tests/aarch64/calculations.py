"""Calculations with random numbers that call each compiled function, to be recorded."""

from collections.abc import Callable
from typing import Any, NamedTuple, get_args

import torch

from engine.attention.scores import Scores
from engine.attention.window import Window
from engine.fusion.native_layer import RmsNorm, Rotary, swiglu
from engine.linear.channel_scales import channel_scales
from engine.linear.int8_weight import Int8Weight, RowBits
from engine.linear.panel_linear import Float16PanelLinear, PanelLinear
from engine.sampling.native_ranking import best_of_rows
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
        best_of_rows(logits)


def decoding_attention() -> None:
    for dtype in _DTYPES:
        for dims in ((64, 64), (128, 128), (96, 32), (24, 16), (5, 3)):
            for softcap in (None, 20.0):
                shape: dict[str, Any] = {"heads": (2, 7), "block_size": 4, "window": Window(40)}
                scores = Scores(0.3, softcap, torch.linspace(-2, 3, 14).to(dtype))
                lengths = [1, 17, 90]
                decoding.attend(lengths, 0, dims=dims, dtype=dtype, scores=scores, is_native=True, **shape)


def linear_layers() -> None:
    for num_inputs, num_outputs in ((131, 72), (896, 64)):
        linear = torch.nn.Linear(num_inputs, num_outputs, dtype=torch.bfloat16).requires_grad_(False)
        of_bfloat16 = PanelLinear(linear)
        of_bfloat16.products = "widened"  # which is what processors of ARM do
        for layer in (of_bfloat16, Float16PanelLinear(linear.half())):
            for num_rows in (1, 13, 30, 130):
                layer(torch.randn(num_rows, num_inputs, dtype=torch.bfloat16))


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
                for num_rows in (1, 4, 13, 30):
                    layer.multiply(torch.randn(num_rows, num_inputs, dtype=dtype))


class Calculation(NamedTuple):
    """calculate: makes the calls, num_calls of them."""

    calculate: Callable[[], None]
    num_calls: int


CALCULATIONS = {
    "norms": Calculation(norms, 12),
    "rotary embeddings": Calculation(rotary_embeddings, 8),
    "gates": Calculation(gates, 8),
    "rankings": Calculation(rankings, 2),
    "decoding attention": Calculation(decoding_attention, 20),
    "linear layers": Calculation(linear_layers, 24),
    "chunk attention": Calculation(chunk_attention, 12),
    "int8 layers": Calculation(int8_layers, 72),
}
