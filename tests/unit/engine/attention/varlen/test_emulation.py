"""The emulation of torch's varlen attention gives what FlexAttention gives, which has no part in it."""

import pytest
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxRequest, flex_attention

from engine.attention.kv_cache.geometry import KVGeometry, LayerGeometry
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import PagedAttention
from engine.attention.scores import Scores
from engine.attention.varlen.plan import VarlenPlan
from engine.attention.window import Window
from tests.support.paged_batches import num_blocks_for, paged_batch
from tests.support.selection.effort import usually
from tests.support.varlen_emulation import Kernel, emulated
from tests.unit.engine.attention.varlen.layers import Layer

CPU = torch.device("cpu")
BLOCK_SIZE = 4
RANGES = [(0, 1), (12, 13), (30, 31), (0, 11), (9, 17), (16, 40)]

pytestmark = pytest.mark.filterwarnings("ignore:.*flex_attention.*")


def by_flex(
    query: Tensor, keys: Tensor, values: Tensor, scores: Scores, window: Window | None
) -> tuple[Tensor, Tensor]:
    """Return a sequence's last rows' outputs [num_rows, num_heads, dim] and sums [num_heads, num_rows].

    query: [num_rows, num_heads, dim]. keys, values: [num_keys, num_kv_heads, dim].
    """
    before = len(keys) - len(query)

    def change(score: Tensor, batch: Tensor, head: Tensor, row: Tensor, place: Tensor) -> Tensor:
        if scores.softcap is not None:
            score = torch.tanh(score / scores.softcap) * scores.softcap
        own = row + before
        is_seen = place <= own
        if window is not None:
            is_seen &= own - place < window.size
        return torch.where(is_seen, score, -torch.inf)

    rows, seen, held = (each.double().transpose(0, 1)[None] for each in (query, keys, values))
    output, aux = flex_attention(
        rows,
        seen,
        held,
        score_mod=change,
        scale=scores.scaling,
        enable_gqa=True,
        return_aux=AuxRequest(lse=True),
    )
    assert aux.lse is not None
    output, lse = output[0].transpose(0, 1), aux.lse[0]
    if scores.sinks is not None:
        # A sink is one more key, whose value is nothing.
        weights = (lse - torch.logaddexp(lse, scores.sinks.double()[:, None])).exp()
        output = output * weights.T.unsqueeze(-1)
    return output, lse


def filled(layer: Layer, block_size: int = BLOCK_SIZE) -> KVPages:
    """Pages of random keys and values, and one of NaN, 0, that no sequence owns."""
    geometry = LayerGeometry(0, layer.num_kv_heads, layer.dim, layer.dim)
    pages = KVPages(
        KVGeometry((geometry,), torch.float32), 1 + num_blocks_for(RANGES, block_size), block_size, CPU
    )
    for tensor in pages.layer(0):
        tensor[1:].normal_()
        tensor[0] = torch.nan
    return pages


@pytest.mark.parametrize("window", usually([None, Window(1), Window(6), Window(100)], (None, Window(6))))
@pytest.mark.parametrize("heads", [(6, 2), (1, 1), (4, 4)])
@pytest.mark.by_turns("window", "heads")
def test_it_gives_the_outputs_and_sums_of_flex_attention(
    heads: tuple[int, int], window: Window | None
) -> None:
    torch.manual_seed(0)
    layer = Layer(*heads, dim=8)
    pages, batch = filled(layer), paged_batch(RANGES, BLOCK_SIZE, first_block=1)
    plan = VarlenPlan.build(batch, BLOCK_SIZE, CPU)
    query = torch.randn(len(batch.slots), layer.num_heads, layer.dim)
    library = emulated(Kernel())
    scores = Scores(0.3, None, None)
    out, lse = library.attn_out(
        torch.empty_like(query),
        query,
        *pages.layer(0),
        plan.query_starts,
        None,
        plan.max_q,
        plan.max_k,
        return_aux=library.with_lse,
        scale=scores.scaling,
        window_size=(-1 if window is None else window.size - 1, 0),
        enable_gqa=True,
        seqused_k=plan.num_keys,
        block_table=plan.block_table,
    )
    for span in batch.decodes + batch.chunks:
        rows = slice(span.row, span.row + span.num_tokens)
        keys, values = (each[span.blocks].flatten(0, 1)[: span.end] for each in pages.layer(0))
        expected, sums = by_flex(query[rows], keys, values, scores, window)
        torch.testing.assert_close(out[rows].double(), expected, rtol=1e-6, atol=1e-6)
        torch.testing.assert_close(lse[:, rows].double(), sums.double(), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("window", [None, Window(6)])
@pytest.mark.parametrize("softcap", [None, 2.0])
@pytest.mark.parametrize("has_sinks", [False, True])
def test_our_own_attention_gives_the_outputs_of_flex_attention(
    window: Window | None, softcap: float | None, has_sinks: bool
) -> None:
    """So that comparing anything with it, as at load, compares it with what no code of ours computes."""
    torch.manual_seed(0)
    layer = Layer(6, 2, dim=8)
    pages, batch = filled(layer), paged_batch(RANGES, BLOCK_SIZE, first_block=1)
    scores = Scores(0.3, softcap, torch.randn(layer.num_heads) if has_sinks else None)
    # What the batch itself writes must be what the chunks' first rows are compared with.
    query, key, value = layer.random_rows(len(batch.slots))
    attention = PagedAttention(batch, pages, is_native=False)
    output = attention.attend(layer.module, query, key, value, window, scores)[0]
    for span in batch.decodes + batch.chunks:
        rows = slice(span.row, span.row + span.num_tokens)
        keys, values = (each[span.blocks].flatten(0, 1)[: span.end] for each in pages.layer(0))
        expected, _ = by_flex(query[0].transpose(0, 1)[rows], keys, values, scores, window)
        torch.testing.assert_close(output[rows].double(), expected, rtol=1e-5, atol=1e-5)
