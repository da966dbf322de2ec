"""Paged attention in torch, plugged into transformers' modelling code through its attention interface.

Every attention module of the model calls `dispatch_attention` with queries, keys and values of the flat
batch; `PagedAttention` writes keys and values to the pages, then lets each row attend to its own sequence's
pages. Grouped-query heads become query length in decoding rows, and a broadcast of the keys in chunks, so
that keys are never repeated. On a CPU, compiled code takes decoding rows and chunks where it is known to be
faster than torch.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from engine.attention.backend import Attention
from engine.attention.batch import Batch
from engine.attention.decoded_keys import DecodedKeys
from engine.attention.kv_pages import KVPages
from engine.attention.native_chunks import attend_chunks, can_attend
from engine.attention.native_decode import can_decode, decode
from engine.attention.plan import AttentionPlan, KeyRange
from engine.attention.scores import Scores
from engine.errors import ModelNotSupported

ATTENTION_NAME = "verbatim"


current_attention: ContextVar[Attention] = ContextVar("current_attention")


def dispatch_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    is_causal: bool | None = None,
    position_bias: Tensor | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Implement transformers' attention interface. Raises ModelNotSupported for a mask or a bias.

    attention_mask is None, since no mask is registered under our name: positions and pages decide which rows
    see which keys.
    """
    if attention_mask is not None or is_causal is False or position_bias is not None:
        raise ModelNotSupported(
            f"{type(module).__name__} attends by a mask or a bias that paged attention lacks"
        )
    scores = Scores(query.shape[-1] ** -0.5 if scaling is None else scaling, softcap, s_aux)
    return current_attention.get().attend(module, query, key, value, sliding_window, scores), None


class PagedAttention:
    """The attention of one batch over the pages; the plan of each window and dtype is made once."""

    def __init__(self, batch: Batch, pages: KVPages, *, is_native: bool = True) -> None:
        """Prepare for a batch. is_native: whether compiled code may be used."""
        self._batch = batch
        self._pages = pages
        self._decodes_natively = is_native and can_decode(batch.slots.device, pages.dtype)
        self._takes_chunks_natively = is_native and can_attend(batch.slots.device, pages.dtype)
        self._plans: dict[tuple[int | None, torch.dtype], AttentionPlan] = {}

    def attend(
        self, module: nn.Module, query: Tensor, key: Tensor, value: Tensor, window: int | None, scores: Scores
    ) -> Tensor:
        layer = module.layer_idx
        assert isinstance(layer, int)
        self._pages.write(layer, self._batch.slots, key[0].transpose(0, 1), value[0].transpose(0, 1))
        plan = self._plan(window, query.dtype)
        num_heads, num_tokens = query.shape[1:3]
        output = query.new_empty(1, num_tokens, num_heads, value.shape[-1])
        if plan.ragged is not None:
            rows = slice(0, plan.ragged.num_rows)
            decode(query[0, :, rows], *self._pages.layer(layer), plan.ragged, scores, output[0, rows])
        if plan.paged is not None:
            attend_chunks(query[0], *self._pages.layer(layer), plan.paged, scores, output[0])
        for keys in plan.decodes:
            rows = slice(keys.row, keys.row + keys.num_rows)
            pages = self._pages.gather(layer, keys.blocks)
            output[0, rows] = _decode(query[0, :, rows], *pages, keys.mask, scores)
        for keys in plan.chunks:
            rows = slice(keys.row, keys.row + keys.num_rows)
            fresh = (key[:, :, rows], value[:, :, rows])
            pages = fresh if keys.is_fresh else self._pages.gather(layer, keys.blocks)
            output[0, rows] = _chunk(query[0, :, rows], *pages, keys, scores)
        return output

    def decoded_keys(self, windows: Sequence[int | None]) -> DecodedKeys | None:
        """Return the keys that compiled layers of these windows read and write.

        Returns None if compiled code cannot attend for all rows of the batch. A compiled layer writes each
        row's keys when it attends from that row, so it cannot compute drafted rows.
        """
        if self._batch.chunks or self._batch.drafted or not self._decodes_natively:
            return None
        visible = [plan.ragged for plan in (self._plan(window, self._pages.dtype) for window in windows)]
        return DecodedKeys(self._pages, self._batch.slots, [keys for keys in visible if keys is not None])

    def _plan(self, window: int | None, dtype: torch.dtype) -> AttentionPlan:
        plan = self._plans.get((window, dtype))
        if plan is None:
            is_one_type = dtype == self._pages.dtype
            plan = AttentionPlan.build(
                self._batch,
                window,
                self._pages.block_size,
                dtype,
                is_ragged=is_one_type and self._decodes_natively,
                is_paged=is_one_type and self._takes_chunks_natively,
            )
            self._plans[window, dtype] = plan
        return plan


def _decode(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor, scores: Scores) -> Tensor:
    """Attend from one row of each sequence to the keys of that sequence.

    query: [num_heads, batch, dim]. keys, values: [batch, num_kv_heads, num_keys, dim].
    Returns [batch, num_heads, value_dim].
    """
    batch, num_kv_heads = keys.shape[:2]
    grouped = query.transpose(0, 1).reshape(batch, num_kv_heads, -1, query.shape[-1])
    sinks = None if scores.sinks is None else scores.sinks.view(num_kv_heads, -1, 1)
    output = _attend(grouped, keys, values, mask, False, scores._replace(sinks=sinks))
    return output.flatten(1, 2)


def _chunk(query: Tensor, keys: Tensor, values: Tensor, plan: KeyRange, scores: Scores) -> Tensor:
    """Attend from the rows of one chunk to the keys of its sequence.

    query: [num_heads, num_rows, dim]. keys, values: [1, num_kv_heads, num_keys, dim].
    Returns [num_rows, num_heads, value_dim].
    """
    num_kv_heads = keys.shape[1]
    grouped = query.reshape(num_kv_heads, -1, *query.shape[1:])  # [num_kv_heads, group, num_rows, dim]
    shape = (num_kv_heads, grouped.shape[1], -1, -1)
    keys, values = keys[0][:, None].expand(shape), values[0][:, None].expand(shape)
    sinks = None if scores.sinks is None else scores.sinks.view(num_kv_heads, -1, 1, 1)
    output = _attend(grouped, keys, values, plan.mask, plan.is_causal, scores._replace(sinks=sinks))
    return output.flatten(0, 1).transpose(0, 1)


def _attend(
    query: Tensor, keys: Tensor, values: Tensor, mask: Tensor, is_causal: bool, scores: Scores
) -> Tensor:
    """Attend from [..., num_rows, dim] to [..., num_keys, dim]; sinks broadcast to [..., num_rows, 1]."""
    if scores.softcap is None and scores.sinks is None:
        attn_mask = None if is_causal else mask
        return scaled_dot_product_attention(
            query, keys, values, attn_mask=attn_mask, is_causal=is_causal, scale=scores.scaling
        )
    products = (query @ keys.transpose(-1, -2)).float() * scores.scaling
    if scores.softcap is not None:
        products = torch.tanh(products / scores.softcap) * scores.softcap
    products = products + mask
    if scores.sinks is not None:
        products = torch.cat([products, scores.sinks.float().expand(*products.shape[:-1], 1)], dim=-1)
    weights = products.softmax(dim=-1)[..., : keys.shape[-2]]
    return weights.to(values.dtype) @ values


ALL_ATTENTION_FUNCTIONS.register(ATTENTION_NAME, dispatch_attention)
