"""Compiled attention of chunks gives what torch's does in float32, but for the rounding of its dtype."""

from random import Random
from typing import Any
from unittest.mock import patch

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from engine.attention.batch import Batch, Span
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.kv_cache.pages import KVPages
from engine.attention.native_chunks import can_attend, chunk_obstacle
from engine.attention.paged_attention import PagedAttention
from engine.attention.scores import Scores
from engine.attention.window import Window
from engine.native.instructions import Instructions
from engine.port.info.kernels import Obstacle
from tests.support.selection.effort import trials
from tests.support.selection.instructions import needs_compiled_bfloat16

CPU = torch.device("cpu")
DTYPES = [torch.float32, torch.bfloat16]
WINDOWS = [
    None,
    *(Window(size) for size in (1, 9, 40, 130)),
    *(Window(size, is_aligned=True) for size in (1, 9, 40, 64, 130)),
]
# Largest error of a row, of its length or the mean one. In bfloat16, the output is rounded to 8 bits, and
# weights are too where it is multiplied as it is.
TOLERANCE = {torch.float32: 2e-5, torch.bfloat16: 1e-2}


def attend(
    chunks: list[tuple[int, int]],
    *,
    heads: tuple[int, int],
    dims: tuple[int, int],
    dtype: torch.dtype,
    scores: Scores,
    is_native: bool = True,
    block_size: int = 16,
    window: Window | None = None,
    num_decodes: int = 0,
    spoil: tuple[int, ...] = (),
) -> Tensor:
    """[num_rows, num_heads, value_dim] of sequences; of each so many tokens were there before, so many come.

    heads: of keys, and of queries for each. spoil: rows whose queries are no numbers. All dtypes have the
    numbers of bfloat16, and for compiled code what no sequence has written is NaN.
    """
    torch.manual_seed(2)
    num_kv_heads, num_heads = heads[0], heads[0] * heads[1]
    spans = [(5 + 3 * row, 1) for row in range(num_decodes)] + chunks
    lengths = [start + num_tokens for start, num_tokens in spans]
    num_blocks = sum(-(-length // block_size) for length in lengths) + 3
    pages = KVPages(KVGeometry((LayerGeometry(0, num_kv_heads, *dims),), dtype), num_blocks, block_size, CPU)
    free = Random(1).sample(range(num_blocks), num_blocks)
    tables = [[free.pop() for _ in range(-(-length // block_size))] for length in lengths]
    for tensor in pages.layer(0):
        if is_native:
            tensor.fill_(torch.nan)
        for table, length in zip(tables, lengths, strict=True):
            slots = torch.tensor(_slots(table, 0, length, block_size))
            values = torch.randn(length, *tensor.shape[2:]).bfloat16().to(dtype)
            tensor.flatten(0, 1)[slots] = values
    rows = [0]
    for _, num_tokens in spans:
        rows.append(rows[-1] + num_tokens)
    placed = [Span(row, *span, table) for row, span, table in zip(rows[:-1], spans, tables, strict=True)]
    slots = torch.tensor(
        [slot for span in placed for slot in _slots(span.blocks, span.start, span.end, block_size)]
    )
    ids = torch.zeros(rows[-1], dtype=torch.int64)
    batch = Batch([], ids, ids, slots, placed[:num_decodes], placed[num_decodes:])
    module: Any = nn.Identity()
    module.layer_idx = 0
    # As models give them: the transpose of rows that hold all heads.
    query, key, value = (
        torch.randn(1, rows[-1], count, dim).bfloat16().to(dtype).transpose(1, 2)
        for count, dim in ((num_heads, dims[0]), (num_kv_heads, dims[0]), (num_kv_heads, dims[1]))
    )
    query[:, :, list(spoil)] = torch.nan
    attention = PagedAttention(batch, pages, is_native=is_native)
    return attention.attend(module, query, key, value, window, scores)[0].float()


def _slots(table: list[int], start: int, end: int, block_size: int) -> list[int]:
    return [table[i // block_size] * block_size + i % block_size for i in range(start, end)]


def largest_error(chunks: list[tuple[int, int]], *, dtype: torch.dtype, **shape: Any) -> float:
    expected = attend(chunks, dtype=torch.float32, is_native=False, **shape)
    actual = attend(chunks, dtype=dtype, **shape)
    lengths = expected.norm(dim=(1, 2))
    errors = (actual - expected).norm(dim=(1, 2)) / lengths.clamp(min=float(lengths.mean()))
    return float(errors.max())  # NaN where any is


@needs_compiled_bfloat16
@settings(max_examples=trials(30, whole=60), deadline=None)
@given(
    chunks=st.lists(st.tuples(st.integers(0, 200), st.integers(2, 150)), min_size=1, max_size=4),
    num_decodes=st.integers(0, 2),
    heads=st.sampled_from([(1, 1), (2, 7), (3, 1), (1, 8), (4, 2)]),
    dims=st.sampled_from([(64, 64), (128, 128), (12, 12), (24, 16), (5, 3), (80, 80), (192, 128), (96, 33)]),
    block_size=st.sampled_from([1, 4, 16]),
    window=st.sampled_from(WINDOWS),
    dtype=st.sampled_from(DTYPES),
    softcap=st.sampled_from([None, 20.0]),
    has_sinks=st.booleans(),
)
def test_any_shape_gives_what_torch_gives(
    chunks: list[tuple[int, int]],
    heads: tuple[int, int],
    dtype: torch.dtype,
    softcap: float | None,
    has_sinks: bool,
    **shape: Any,
) -> None:
    sinks = torch.linspace(-2, 3, heads[0] * heads[1]).bfloat16() if has_sinks else None
    scores = Scores(0.3, softcap, sinks)
    assert largest_error(chunks, heads=heads, dtype=dtype, scores=scores, **shape) < TOLERANCE[dtype]


@needs_compiled_bfloat16
@pytest.mark.parametrize("num_tokens", [2, 11, 12, 13, 54, 55, 127, 128, 129, 512])
@pytest.mark.parametrize("start", [0, 31, 128, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_edge_of_a_tile_is_met(dtype: torch.dtype, start: int, num_tokens: int) -> None:
    shape: dict[str, Any] = {"heads": (2, 7), "dims": (64, 64), "scores": Scores(0.125, None, None)}
    assert largest_error([(start, num_tokens)], dtype=dtype, **shape) < TOLERANCE[dtype]


@needs_compiled_bfloat16
@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("window", [None, Window(200), Window(200, is_aligned=True)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_long_sequences_and_steep_scores_stay_near(
    dtype: torch.dtype, scale: float, window: Window | None
) -> None:
    shape: dict[str, Any] = {"heads": (1, 4), "dims": (64, 64), "scores": Scores(scale, None, None)}
    assert largest_error([(3000, 300)], dtype=dtype, window=window, **shape) < TOLERANCE[dtype]


@needs_compiled_bfloat16
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_that_is_no_number_spoils_itself_alone(dtype: torch.dtype) -> None:
    shape: dict[str, Any] = {"heads": (2, 2), "dims": (64, 64), "scores": Scores(0.1, None, None)}
    output = attend([(20, 30)], dtype=dtype, spoil=(4,), **shape)
    assert output.isfinite().all(dim=-1).all(dim=-1).tolist() == [row != 4 for row in range(30)]


def test_torch_attends_to_chunks_where_compiled_code_cannot() -> None:
    obstacle = Obstacle("no compiler", is_lack=True)
    with patch("engine.native.obstacles.lacks_library", lambda: obstacle):
        assert not any(can_attend(CPU, dtype) for dtype in DTYPES)
    with patch("engine.native.bfloat16.usable_instructions", lambda: Instructions.AMX):
        assert chunk_obstacle(CPU, torch.bfloat16) == Obstacle("oneDNN is faster here, by AMX")
    assert not can_attend(CPU, torch.float16)
