"""Attention by torch's varlen attention gives what our own gives, over the emulation of its kernels."""

from random import Random
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import PagedAttention
from engine.attention.paged_backend import PagedBackend
from engine.attention.scores import Scores
from engine.attention.varlen.attention import ServedLayers, VarlenAttention
from engine.attention.varlen.library import FORMS, VarlenLibrary
from engine.attention.window import Window
from tests.support.paged_batches import num_blocks_for, paged_batch
from tests.support.selection.effort import trials
from tests.support.varlen_emulation import Kernel, emulated
from tests.unit.engine.attention.varlen.layers import Layer

CPU = torch.device("cpu")
CUDNN, FLASH = FORMS
LAYER = Layer(num_heads=6, num_kv_heads=2, dim=8)
SCORES = Scores(0.3, None, None)


def served(library: VarlenLibrary | None = None, *, layers: tuple[int, ...] = (0,)) -> ServedLayers:
    return ServedLayers(library or emulated(Kernel()), CUDNN, frozenset(layers))


def new_pages(num_blocks: int, block_size: int, layer: Layer = LAYER) -> KVPages:
    """Pages of zeros; block 0, which no sequence owns, holds NaN."""
    geometry = KVGeometry((LayerGeometry(0, layer.num_kv_heads, layer.dim, layer.dim),), torch.float32)
    pages = KVPages(geometry, num_blocks, block_size, CPU)
    for tensor in pages.layer(0):
        tensor[0] = torch.nan
    return pages


def both(
    ranges: list[tuple[int, int]],
    block_size: int,
    window: Window | None,
    scores: Scores = SCORES,
    layer: Layer = LAYER,
) -> tuple[Tensor, Tensor]:
    """The outputs by torch's attention and by ours; each sequence's earlier keys are random."""
    batch = paged_batch(ranges, block_size, first_block=1, seed=len(ranges))
    pages = [new_pages(1 + num_blocks_for(ranges, block_size), block_size, layer) for _ in range(2)]
    for number in range(2):
        held = torch.stack(pages[0].layer(0))[number, 1:]
        held.normal_()
        for one in pages:
            one.layer(0)[number][1:] = held
    rows = layer.random_rows(len(batch.slots))
    tried, own = (
        attention.attend(layer.module, *rows, window, scores)
        for attention in (
            served().attention(batch, pages[0]),
            PagedAttention(batch, pages[1], is_native=False),
        )
    )
    for left, right in zip(pages[0].layer(0), pages[1].layer(0), strict=True):
        torch.testing.assert_close(left, right, equal_nan=True, rtol=0, atol=0)
    return tried, own


@pytest.mark.parametrize("seed", range(trials(12, whole=100)))
def test_any_mixture_of_prompts_chunks_and_decoding_rows_gives_what_ours_gives(seed: int) -> None:
    random = Random(seed)
    torch.manual_seed(seed)
    ranges = []
    for _ in range(random.randint(1, 9)):
        start = random.choice([0, random.randint(1, 60)])
        ranges.append((start, start + random.choice([1, 1, random.randint(2, 40)])))
    num_kv_heads = random.choice([1, 2, 3])
    layer = Layer(num_kv_heads * random.choice([1, 2, 5]), num_kv_heads, 8)
    window = random.choice([None, Window(random.randint(1, 30))])
    sinks = random.choice([None, torch.randn(layer.num_heads)])
    tried, own = both(ranges, random.choice([1, 4, 16]), window, Scores(0.3, None, sinks), layer)
    torch.testing.assert_close(tried, own, rtol=1e-5, atol=1e-5)


def test_rows_of_a_draft_see_the_keys_that_others_of_the_step_write() -> None:
    torch.manual_seed(0)
    batch = paged_batch([(0, 5)], 4, first_block=1)
    (chunk,) = batch.chunks
    spans = [
        chunk._replace(row=row, start=row, num_tokens=1, blocks=chunk.blocks[: row // 4 + 1])
        for row in range(5)
    ]
    drafted = Batch([], batch.input_ids, batch.positions, batch.slots, spans, [])
    rows = LAYER.random_rows(5)
    together, apart = (
        served().attention(each, new_pages(3, 4)).attend(LAYER.module, *rows, None, SCORES)
        for each in (batch, drafted)
    )
    torch.testing.assert_close(apart, together)


def test_pages_of_others_are_not_read() -> None:
    """Tables are filled up with block 0, which holds NaN; so does the rest of a sequence's last page."""
    torch.manual_seed(0)
    batch = paged_batch([(0, 1), (0, 6), (0, 2)], 4, first_block=1)
    pages = new_pages(1 + num_blocks_for([(0, 1), (0, 6), (0, 2)], 4), 4)
    for tensor in pages.layer(0):
        tensor[:] = torch.nan
    output = served().attention(batch, pages).attend(LAYER.module, *LAYER.random_rows(9), None, SCORES)
    assert output.isfinite().all()


class Calls:
    """A library that notes the arguments of its calls."""

    def __init__(self) -> None:
        self.named: list[dict[str, Any]] = []
        self.key_starts: list[Tensor | None] = []

    @property
    def library(self) -> VarlenLibrary:
        inner = emulated(Kernel(), Kernel(needs_key_starts=True))

        def attn_out(*args: Any, **named: Any) -> Any:
            self.key_starts.append(args[5])
            self.named.append(named)
            return inner.attn_out(*args, **named)

        return inner._replace(attn_out=attn_out)


def test_the_form_says_how_it_is_called() -> None:
    calls = Calls()
    batch = paged_batch([(8, 9)], 4, first_block=1)
    for form in FORMS:
        layers = ServedLayers(calls.library, form, frozenset({0}))
        attention = layers.attention(batch, new_pages(4, 4))
        attention.attend(LAYER.module, *LAYER.random_rows(1), Window(5), SCORES)
        attention.attend(LAYER.module, *LAYER.random_rows(1), None, SCORES)
    assert [named["num_splits"] for named in calls.named] == [None, None, 1, 1]
    assert [starts is not None for starts in calls.key_starts] == [False, False, True, True]
    # (-1, -1) would do for a single row, but FlashAttention would not write to `out` then.
    assert [named["window_size"] for named in calls.named] == [(4, 0), (-1, 0)] * 2


def test_layers_that_are_not_served_and_batches_with_ranges_are_left_to_ours() -> None:
    torch.manual_seed(0)
    calls = Calls()
    batch = paged_batch([(0, 4)], 4, first_block=1)
    rows = LAYER.random_rows(4)
    expected = PagedAttention(batch, new_pages(3, 4)).attend(LAYER.module, *rows, None, SCORES)
    other = served(calls.library, layers=(1,)).attention(batch, new_pages(3, 4))
    torch.testing.assert_close(other.attend(LAYER.module, *rows, None, SCORES), expected, rtol=0, atol=0)
    seen_together = [batch.chunks[0]._replace(seen_together=((0, 3),))]
    with_image = Batch([], batch.input_ids, batch.positions, batch.slots, [], seen_together)
    assert isinstance(served(calls.library).attention(with_image, new_pages(3, 4)), PagedAttention)
    assert calls.named == []


def test_a_backend_attends_by_what_it_is_given() -> None:
    backend = PagedBackend(new_pages(4, 4))
    batch = paged_batch([(0, 4)], 4, first_block=1)
    assert isinstance(backend.plan(batch), PagedAttention)
    backend.attention = served().attention
    assert isinstance(backend.plan(batch), VarlenAttention)
