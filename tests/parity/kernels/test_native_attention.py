"""Compiled attention of decoding rows gives what torch's does, and torch's serves where nothing compiles."""

import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from engine.attention.batch import Batch, Span
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.kv_cache.pages import KVPages
from engine.attention.native_decode import can_decode, decode_obstacle
from engine.attention.paged_attention import PagedAttention
from engine.attention.scores import Scores
from engine.attention.window import Window
from engine.native import compiler, library
from tests.support.selection.effort import trials
from tests.support.selection.instructions import needs_compiler

CPU = torch.device("cpu")
WINDOWS = [None, Window(1), Window(9), Window(40), Window(9, is_aligned=True), Window(32, is_aligned=True)]
# Largest relative error of a row. Both round weights of bfloat16 on the way, torch once more.
TOLERANCE = {torch.float32: 2e-6, torch.bfloat16: 2e-2}


def attend(
    lengths: list[int],
    chunk: int,
    *,
    heads: tuple[int, int],
    dims: tuple[int, int],
    block_size: int,
    dtype: torch.dtype,
    window: Window | None,
    scores: Scores,
    is_native: bool,
) -> Tensor:
    """[num_rows, num_heads, value_dim] of rows that decode, by length of their sequences, and of a chunk."""
    random = Random(1)
    torch.manual_seed(2)
    num_kv_heads, num_heads = heads[0], heads[0] * heads[1]
    num_blocks = sum(-(-length // block_size) for length in [*lengths, chunk]) + 3
    pages = KVPages(KVGeometry((LayerGeometry(0, num_kv_heads, *dims),), dtype), num_blocks, block_size, CPU)
    for tensor in pages.layer(0):
        tensor.copy_(torch.randn(tensor.shape))
    free = list(range(num_blocks))
    random.shuffle(free)
    spans, slots = [], []
    for row, length in enumerate(lengths):
        blocks = [free.pop() for _ in range(-(-length // block_size))]
        spans.append(Span(row, length - 1, 1, blocks))
        slots.append(blocks[-1] * block_size + (length - 1) % block_size)
    chunks = (
        [Span(len(lengths), 0, chunk, [free.pop() for _ in range(-(-chunk // block_size))])] if chunk else []
    )
    slots += [chunks[0].blocks[i // block_size] * block_size + i % block_size for i in range(chunk)]
    ids = torch.zeros(len(slots), dtype=torch.int64)
    batch = Batch([], ids, ids, torch.tensor(slots), spans, chunks)
    module: Any = nn.Identity()
    module.layer_idx = 0
    # As models give them: the transpose of rows that hold all heads.
    query, key, value = (
        torch.randn(1, len(slots), count, dim).to(dtype).transpose(1, 2)
        for count, dim in ((num_heads, dims[0]), (num_kv_heads, dims[0]), (num_kv_heads, dims[1]))
    )
    attention = PagedAttention(batch, pages, is_native=is_native)
    return attention.attend(module, query, key, value, window, scores)[0].float()


@needs_compiler
@settings(max_examples=trials(20, whole=40), deadline=None)
@given(
    lengths=st.lists(st.integers(1, 90), min_size=1, max_size=9),
    chunk=st.sampled_from([0, 2, 21]),
    heads=st.sampled_from([(1, 1), (2, 7), (3, 1), (1, 8), (4, 2), (1, 19)]),
    dims=st.sampled_from([(64, 64), (128, 128), (96, 32), (12, 12), (24, 16), (5, 3), (80, 80)]),
    block_size=st.sampled_from([1, 4, 16]),
    dtype=st.sampled_from([torch.float32, torch.bfloat16]),
    window=st.sampled_from(WINDOWS),
    softcap=st.sampled_from([None, 20.0]),
    has_sinks=st.booleans(),
)
def test_any_shape_gives_what_torch_gives(
    lengths: list[int],
    heads: tuple[int, int],
    dtype: torch.dtype,
    softcap: float | None,
    has_sinks: bool,
    **shape: Any,
) -> None:
    sinks = torch.linspace(-2, 3, heads[0] * heads[1]).to(dtype) if has_sinks else None
    scores = Scores(0.3, softcap, sinks)
    expected, actual = (
        attend(sorted(lengths), heads=heads, dtype=dtype, scores=scores, is_native=is_native, **shape)
        for is_native in (False, True)
    )
    errors = (actual - expected).norm(dim=(1, 2)) / expected.norm(dim=(1, 2))
    assert errors.max() < TOLERANCE[dtype]


@needs_compiler
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("scale", [0.0, 1.0, 300.0])
def test_long_sequences_and_steep_scores_stay_exact(scale: float, dtype: torch.dtype) -> None:
    scores = Scores(scale, None, None)
    shape: dict[str, Any] = {"heads": (2, 7), "dims": (64, 64), "block_size": 16, "window": None}
    expected, actual = (
        attend([3000, 4001], 0, dtype=dtype, scores=scores, is_native=is_native, **shape)
        for is_native in (False, True)
    )
    rtol, atol = {torch.float32: (1e-4, 1e-5), torch.bfloat16: (1e-2, 1e-3)}[dtype]
    torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol)


@needs_compiler
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_row_that_is_no_number_spoils_itself_alone(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape: dict[str, Any] = {"heads": (2, 2), "dims": (64, 64), "block_size": 16, "window": None}
    randn = torch.randn

    def with_nan(*size: Any) -> Tensor:
        values = randn(*size)
        if size[:2] == (1, 2):  # the query of the second row
            values[0, 1] = torch.nan
        return values

    monkeypatch.setattr(torch, "randn", with_nan)
    output = attend([5, 20], 0, dtype=dtype, scores=Scores(0.1, None, None), is_native=True, **shape)
    assert output.isfinite().all(dim=-1).all(dim=-1).tolist() == [True, False]


@pytest.mark.parametrize(
    "failure",
    [
        FileNotFoundError("g++"),
        RuntimeError("no home"),
        subprocess.CalledProcessError(1, "g++", stderr="no such option"),
    ],
)
def test_without_a_working_compiler_torch_attends(
    failure: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise failure

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(compiler, "_build", fail)
    monkeypatch.setattr("engine.native.obstacles.loaded", library.loaded.__wrapped__)
    assert not can_decode(CPU, torch.float32)
    obstacle = decode_obstacle(CPU, torch.float32)
    assert obstacle is not None and obstacle.is_lack
    assert obstacle.reason.endswith(getattr(failure, "stderr", None) or str(failure))
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert not can_decode(CPU, torch.float32)


@needs_compiler
def test_its_threads_are_torchs_own() -> None:
    """Each OpenMP library in a process keeps threads, which spin against the others' for the same cores."""
    loaded = library.loaded().library
    assert loaded is not None
    needed = subprocess.run(
        ["readelf", "-d", loaded._name], check=True, capture_output=True, text=True
    ).stdout
    assert "gomp" not in needed
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "gomp" in line}
    assert len(mapped) == 1
