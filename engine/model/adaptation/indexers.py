"""Indexers (DeepSeek-V3.2 and its kin), which choose keys by sequence within a flat batch of many."""

import inspect
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from engine.attention.paged_attention import current_attention
from engine.attention.selection import FlatMask, Indexer, Selection
from engine.port.errors import NoPagedAttention

_ARGUMENTS = {"hidden_states", "position_embeddings", "attention_mask", "position_ids", "past_key_values"}
_MAY_HAVE = {"q_resid"}


def adapt_indexers(model: nn.Module) -> None:
    """Let indexers choose keys through the attention of the pass, where one is set.

    Raises NoPagedAttention for an indexer that is not called like DeepSeek-V3.2's, as where it pools keys.
    """
    for module in model.modules():
        indexer = getattr(module, "indexer", None)
        if not isinstance(indexer, nn.Module):
            continue
        names = set(inspect.signature(indexer.forward).parameters)
        if not _ARGUMENTS <= names <= _ARGUMENTS | _MAY_HAVE:
            raise NoPagedAttention(
                f"{type(indexer).__name__} chooses keys in a way that paged attention lacks"
            )
        module.register_forward_pre_hook(_give_mask, with_kwargs=True)
        _replace_forward(indexer, indexer.forward)


def _give_mask(_: nn.Module, args: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Put something in the place of the mask, which the module takes apart before it calls its indexer."""
    is_flat = named.get("attention_mask") is None and current_attention.get(None) is not None
    return args, {**named, "attention_mask": FlatMask()} if is_flat else named


def _replace_forward(module: Any, forward: Callable[..., Tensor]) -> None:
    signature = inspect.signature(forward)

    def choose(*args: Any, **named: Any) -> Tensor | Selection:
        attention = current_attention.get(None)
        if attention is None:
            return forward(*args, **named)
        indexer = Indexer(module.layer_idx, module.index_topk, forward)
        return attention.select(indexer, signature.bind(*args, **named).arguments)

    module.forward = choose
