"""Attention of one batch by torch's varlen attention, in the layers that it serves; elsewhere by ours."""

from collections.abc import Set
from typing import Any, NamedTuple

from torch import Tensor, nn

from engine.attention.backend import Attention
from engine.attention.batch import Batch
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import PagedAttention
from engine.attention.scores import Scores
from engine.attention.selection import Indexer, Selection
from engine.attention.varlen.library import PageForm, VarlenLibrary
from engine.attention.varlen.plan import VarlenPlan
from engine.attention.window import Window


class ServedLayers(NamedTuple):
    """The layers that torch's varlen attention serves, and the way of calling it."""

    library: VarlenLibrary
    form: PageForm
    layers: Set[int]

    def attention(self, batch: Batch, pages: KVPages) -> Attention:
        """Return the attention of one forward pass over this batch."""
        if any(span.seen_together for span in batch.chunks):  # rows that see keys after their own
            return PagedAttention(batch, pages)
        return VarlenAttention(batch, pages, self)


class VarlenAttention:
    """The attention of one batch over the pages: one call a layer, whatever its rows are.

    plan: the batch's, the same for all layers; made here if it is not given.
    """

    def __init__(
        self, batch: Batch, pages: KVPages, served: ServedLayers, plan: VarlenPlan | None = None
    ) -> None:
        self._slots = batch.slots
        self._pages = pages
        self._served = served
        self._plan = plan or VarlenPlan.build(batch, pages.block_size, batch.slots.device)
        self._others = PagedAttention(batch, pages)

    def attend(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        window: Window | Selection | None,
        scores: Scores,
    ) -> Tensor:
        layer = module.layer_idx
        assert isinstance(layer, int)
        if layer not in self._served.layers or query.dtype != self._pages.dtype:
            return self._others.attend(module, query, key, value, window, scores)
        assert not isinstance(window, Selection)
        self._pages.write(layer, self._slots, key[0].transpose(0, 1), value[0].transpose(0, 1))
        return self._attend(query[0].transpose(0, 1), *self._pages.layer(layer), window, scores)[None]

    def _attend(
        self, query: Tensor, keys: Tensor, values: Tensor, window: Window | None, scores: Scores
    ) -> Tensor:
        """Attend from [num_tokens, num_heads, dim] to pages as in `KVPages`; returns the query's shape."""
        (attn_out, with_lse, _), form, _ = self._served
        plan = self._plan
        output = query.new_empty(query.shape)
        # FlashAttention leaves `out` as it was where a step only decodes and the window is (-1, -1), which
        # would be enough there.
        _, lse = attn_out(
            output,
            query,
            keys,
            values,
            plan.query_starts,
            plan.key_starts if form.has_key_starts else None,
            plan.max_q,
            plan.max_k,
            return_aux=with_lse,
            scale=scores.scaling,
            window_size=(-1 if window is None else window.size - 1, 0),
            enable_gqa=query.shape[1] != keys.shape[2],
            seqused_k=plan.num_keys,
            block_table=plan.block_table,
            num_splits=form.num_splits,
        )
        if scores.sinks is not None:
            # The sink's share of the weights is 1 - sigmoid(lse - sink). lse: [num_heads, num_tokens].
            output *= (lse.T - scores.sinks.float()).sigmoid().unsqueeze(-1)
        return output

    def select(self, indexer: Indexer, arguments: dict[str, Any]) -> Selection:
        return self._others.select(indexer, arguments)
