"""The adaptation of a model's modules to batches of many sequences, beyond the attention interface."""

from transformers import PreTrainedModel

from engine.attention.window import hold_windows
from engine.model.adaptation.cached_lengths import give_cached_lengths
from engine.model.adaptation.indexers import adapt_indexers
from engine.model.adaptation.layer_names import name_layers


def adapt_modules(model: PreTrainedModel) -> None:
    """Let modules tell attention what it must know, and learn from the batch what they take from a cache.

    Raises NoPagedAttention as `adapt_indexers` does.
    """
    name_layers(model)
    hold_windows(model)
    give_cached_lengths(model)
    adapt_indexers(model)
