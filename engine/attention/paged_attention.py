"""Paged attention in torch, plugged into transformers' modelling code through its attention interface.

Every attention module of the model calls `dispatch_attention` with queries, keys and values of the flat
batch; `PagedAttention` writes keys and values to the pages, then lets each row attend to its own sequence's
pages. Grouped-query heads become query length in decoding rows, and a broadcast of the keys in chunks, so
that keys are never repeated. On a CPU, compiled code takes decoding rows and chunks where it is known to be
faster than torch.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from engine.attention.backend import Attention
from engine.attention.batch import Batch
from engine.attention.kv_cache.pages import KVPages
from engine.attention.native_chunks import attend_chunks, can_attend
from engine.attention.native_decode import can_decode, decode
from engine.attention.plan import AttentionPlan, KeyRange, RaggedKeys
from engine.attention.scores import Scores
from engine.attention.selection import FlatMask, Indexer, Selection, select
from engine.attention.window import Window, window_of
from engine.port.errors import EngineError, NoPagedAttention


class DecodedKeys(NamedTuple):
    """The keys and values of a batch whose rows all decode.

    slots: int64 [num_rows], the slots to which the rows write. visible: for each window, the keys that the
    rows see. writes_first: whether rows see keys of other rows, so that all are written before any is read.
    """

    pages: KVPages
    slots: Tensor
    visible: list[RaggedKeys]
    writes_first: bool


ATTENTION_NAME = "verbatim"
EAGER = "eager"  # transformers' name for a model's own code


current_attention: ContextVar[Attention] = ContextVar("current_attention")


@contextmanager
def observed_pass(attention: Attention, fault: str) -> Iterator[None]:
    """Let a forward pass at load attend by an observer.

    fault: what a model does not do whose modelling code raises. Raises NoPagedAttention then.
    """
    token = current_attention.set(attention)
    try:
        yield
    except EngineError:
        raise
    except Exception as error:  # whatever modelling code raises where something is missing
        raise NoPagedAttention(f"{fault}: {error}") from error
    finally:
        current_attention.reset(token)


def dispatch_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | FlatMask | None,
    scaling: float | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    is_causal: bool | None = None,
    position_bias: Tensor | None = None,
    indices: Selection | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Implement transformers' attention interface. Raises NoPagedAttention for a mask or a bias.

    attention_mask holds nothing, since no mask is registered under our name: positions and pages decide which
    rows see which keys. indices: the keys that an indexer chose, as `Attention.select` returned them.
    """
    if not isinstance(attention_mask, FlatMask | None) or is_causal is False or position_bias is not None:
        raise NoPagedAttention(
            f"{type(module).__name__} attends by a mask or a bias that paged attention lacks"
        )
    scores = Scores(query.shape[-1] ** -0.5 if scaling is None else scaling, softcap, s_aux)
    window = window_of(module, sliding_window) if indices is None else indices
    return current_attention.get().attend(module, query, key, value, window, scores), None


class PagedAttention:
    """The attention of one batch over the pages; the plan of each window and dtype is made once."""

    def __init__(self, batch: Batch, pages: KVPages, *, is_native: bool = True) -> None:
        """Prepare for a batch. is_native: whether compiled code may be used."""
        self._batch = batch
        self._pages = pages
        self._decodes_natively = is_native and can_decode(batch.slots.device, pages.dtype)
        self._takes_chunks_natively = is_native and can_attend(batch.slots.device, pages.dtype)
        self._plans: dict[tuple[Window | None, torch.dtype], AttentionPlan] = {}
        self._selectable: AttentionPlan | None = None
        self._calls = count()

    def attend(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        window: Window | Selection | None,
        scores: Scores,
    ) -> Tensor:
        layer = next(self._calls) if self._pages.is_by_call else module.layer_idx
        assert isinstance(layer, int)
        self._pages.write(layer, self._batch.slots, key[0].transpose(0, 1), value[0].transpose(0, 1))
        if isinstance(window, Selection):
            plan = window.plan or self._plan(None, query.dtype)
        else:
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

    def select(self, indexer: Indexer, arguments: dict[str, Any]) -> Selection:
        return select(indexer, arguments, self._batch, self._pages, self._torch_plan)

    def decoded_keys(self, windows: Sequence[Window | None]) -> DecodedKeys | None:
        """Return the keys that compiled layers of these windows read and write.

        Returns None if compiled code cannot attend for all rows of the batch.
        """
        if self._batch.chunks or not self._decodes_natively:
            return None
        visible = [plan.ragged for plan in (self._plan(window, self._pages.dtype) for window in windows)]
        ragged = [keys for keys in visible if keys is not None]
        return DecodedKeys(self._pages, self._batch.slots, ragged, writes_first=bool(self._batch.drafted))

    def _torch_plan(self) -> AttentionPlan:
        """Return the plan from which an indexer chooses: all keys of each row, for torch."""
        if self._selectable is None:
            pages = self._pages
            self._selectable = AttentionPlan.build(self._batch, None, pages.block_size, pages.dtype)
        return self._selectable

    def _plan(self, window: Window | None, dtype: torch.dtype) -> AttentionPlan:
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
