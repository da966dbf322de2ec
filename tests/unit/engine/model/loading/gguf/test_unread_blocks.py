"""Blocks of a GGUF file become groups of the same integers, with scales that float16 holds or the nearest."""

import re
import threading
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType
from torch import Tensor

from engine.model.loading.gguf import stored_weights
from engine.model.loading.gguf.header import GGUFTensor
from engine.model.loading.gguf.stored_weights import StoredWeight
from engine.model.loading.gguf.tensor_names import Change, Source
from engine.model.loading.gguf.unread_blocks import FORMS, UnreadBlocks, has_groups
from engine.port.errors import ModelNotSupported
from engine.weights.grouped_weight import GroupForm
from tests.support.selection.instructions import needs_compiler

_ROWS, _COLUMNS = 24, 512
_SCALE_AT = {"Q6_K": 208}
# Kinds whose scales are stored as float16, and not as products of two numbers.
_EXACT = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0")


def random_blocks(kind: str) -> np.ndarray[Any, Any]:
    size, num_bytes = gguf.GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
    random = np.random.default_rng(3)
    blocks = random.integers(0, 256, (_ROWS * _COLUMNS // size, num_bytes), np.uint8)
    at = _SCALE_AT.get(kind, 0)
    num_scales = 2 if FORMS[kind].has_mins else 1
    scales = random.normal(size=(len(blocks), num_scales)).astype(np.float16)
    blocks[:, at : at + 2 * num_scales] = scales.view(np.uint8)
    return blocks


def unread(blocks: np.ndarray[Any, Any], kind: str, change: Change = Change.NONE) -> UnreadBlocks:
    size, num_bytes = gguf.GGML_QUANT_SIZES[GGMLQuantizationType[kind]]
    tensor = GGUFTensor("blk.0.ffn_up.weight", kind, (_ROWS, _COLUMNS), (size, num_bytes), 64)
    content = np.concatenate([np.zeros(64, np.uint8), blocks.reshape(-1)])
    return UnreadBlocks(Path("a.gguf"), content, Source((tensor,), change), num_heads=2)


def numbers_of(blocks: np.ndarray[Any, Any], kind: str) -> Tensor:
    return torch.from_numpy(gguf.dequantize(blocks, GGMLQuantizationType[kind])).view(_ROWS, _COLUMNS)


@needs_compiler
@pytest.mark.parametrize("kind", FORMS)
def test_groups_stand_for_the_numbers_of_the_blocks(kind: str) -> None:
    blocks = random_blocks(kind)
    weight = unread(blocks, kind)
    found, expected = weight.read_groups(), numbers_of(blocks, kind)
    found.check()
    assert found.form == weight.form and weight.shape == (_ROWS, _COLUMNS)
    if kind in _EXACT:
        assert torch.equal(found.plain(), expected)
    else:  # each scale and each min is off by half a bit of eleven at most
        scaled = found.plain() - (0 if found.mins is None else spread(found.mins))
        bound = 2**-11 * (scaled.abs() + (0 if found.mins is None else spread(found.mins).abs()))
        assert bool(((found.plain() - expected).abs() <= 1.01 * bound + 1e-6).all())
    torch.testing.assert_close(weight.read_plain(torch.float32), expected, rtol=1e-6, atol=1e-6)


def spread(of_groups: Tensor) -> Tensor:
    return of_groups.float().repeat_interleave(_COLUMNS // of_groups.shape[1], dim=1)


@needs_compiler
def test_integers_are_those_of_the_file() -> None:
    blocks = random_blocks("Q4_0")
    found = unread(blocks, "Q4_0").read_groups()
    of_first = [int(byte) & 15 for byte in blocks[0, 2:]] + [int(byte) >> 4 for byte in blocks[0, 2:]]
    assert found.values[0, :32].tolist() == of_first
    assert found.scales[0, 0].item() == blocks[0, :2].view(np.float16)[0]
    blocks = random_blocks("Q8_0")
    found = unread(blocks, "Q8_0").read_groups()
    assert found.values[0, :32].tolist() == blocks[0, 2:].view(np.int8).tolist()


@needs_compiler
@pytest.mark.parametrize("kind", ["Q4_K", "Q8_0"])
def test_rows_that_the_converter_permuted_come_back_in_their_order(kind: str) -> None:
    blocks = random_blocks(kind)
    weight = unread(blocks, kind, Change.PERMUTED)
    # A head's rows are pairs of one of the first half and one of the second.
    order = [head * 12 + half + 2 * pair for head in range(2) for half in range(2) for pair in range(6)]
    plain = unread(blocks, kind).read_groups().plain()
    assert torch.equal(weight.read_groups().plain(), plain[order])
    torch.testing.assert_close(weight.read_plain(torch.float32), numbers_of(blocks, kind)[order])
    torch.testing.assert_close(torch.cat(list(weight.plain_blocks())), numbers_of(blocks, kind)[order])


@needs_compiler
@pytest.mark.parametrize("change", [Change.NONE, Change.PERMUTED])
def test_a_large_weight_comes_in_parts_and_by_threads_as_it_does_whole(
    change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = np.tile(random_blocks("Q4_0"), (16, 1))
    tensor = GGUFTensor("a", "Q4_0", (16 * _ROWS, _COLUMNS), (32, 18), 0)
    weight = UnreadBlocks(Path("a.gguf"), blocks.reshape(-1), Source((tensor,), change), num_heads=24)
    parts = list(weight.plain_blocks())
    assert len(parts) > 1
    torch.testing.assert_close(torch.cat(parts), weight.read_plain(torch.float32))
    sample = dict(weight.plain_sample())
    whole = weight.read_plain(torch.float32)
    assert 0 in sample and max(first + len(part) for first, part in sample.items()) == len(whole)
    assert sum(map(len, sample.values())) < len(whole)
    for first, part in sample.items():
        torch.testing.assert_close(part, whole[first : first + len(part)])
    alone = weight.read_groups()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    beside = weight.read_groups()
    assert torch.equal(alone.values, beside.values) and torch.equal(alone.scales, beside.scales)


@needs_compiler
@pytest.mark.parametrize("change", [Change.NONE, Change.PERMUTED, Change.ADDED_ONE])
@pytest.mark.parametrize("num_threads", [2, 3])
def test_threads_read_the_numbers_that_one_reads(
    change: Change, num_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = np.tile(random_blocks("Q8_0"), (9, 1))
    tensor = GGUFTensor("a", "Q8_0", (9 * _ROWS, _COLUMNS), (32, 34), 0)
    content = blocks.reshape(-1)
    weight = StoredWeight(Path("a.gguf"), content, Source((tensor,), change), 12, torch.bfloat16)
    alone = weight[...]
    threads: set[str] = set()
    read = StoredWeight._read_spans

    def watch(*arguments: Any) -> None:
        threads.add(threading.current_thread().name)
        read(*arguments)

    monkeypatch.setattr(StoredWeight, "_read_spans", watch)
    monkeypatch.setattr(stored_weights, "_FEWEST_SPANS", 1)
    monkeypatch.setattr(torch, "get_num_threads", lambda: num_threads)
    assert torch.equal(weight[...], alone)
    assert threads and all(name.startswith("gguf-numbers") for name in threads)
    blocks[-1, :2] = np.array([np.nan], np.float16).view(np.uint8)
    with pytest.raises(ModelNotSupported, match="hold NaN or infinity: a"):
        weight[...]


@needs_compiler
@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("scale", [float("nan"), float("inf")])
def test_scales_that_are_not_finite_are_refused(kind: str, scale: float) -> None:
    blocks = random_blocks(kind)
    at = _SCALE_AT.get(kind, 0)
    blocks[5, at : at + 2] = np.array([scale], np.float16).view(np.uint8)
    with pytest.raises(ModelNotSupported, match=re.escape("NaN or infinity: blk.0.ffn_up.weight")):
        unread(blocks, kind).read_groups()


@needs_compiler
def test_products_of_scales_too_large_for_float16_are_refused_with_advice() -> None:
    blocks = random_blocks("Q6_K")
    blocks[0, 208:210] = np.array([6e4], np.float16).view(np.uint8)
    blocks[0, 192] = 100
    with pytest.raises(ModelNotSupported, match="give --dtype bfloat16 or float32"):
        unread(blocks, "Q6_K").read_groups()


def test_other_tensors_have_no_groups() -> None:
    def source(kind: str, *shape: int, change: Change = Change.NONE, times: int = 1) -> Source:
        return Source((GGUFTensor("a", kind, shape, (32, 18), 0),) * times, change)

    assert has_groups(source("Q4_0", 4, 32))
    assert not has_groups(source("F16", 4, 32))
    assert not has_groups(source("Q2_K", 4, 256))
    assert not has_groups(source("Q4_0", 32))
    assert not has_groups(source("Q4_0", 8, 4, 32))
    assert not has_groups(source("Q4_0", 4, 32, times=2))
    assert not has_groups(source("Q4_0", 4, 32, change=Change.ADDED_ONE))
    assert FORMS["Q4_K"] == GroupForm(4, 32, has_mins=True)
