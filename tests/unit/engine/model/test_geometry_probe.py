"""A model whose attention does not tell what its tokens see is refused by name."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from engine.attention.paged_attention import ATTENTION_NAME
from engine.model.geometry_probe import observe_geometry
from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.text import tiny_model


def paged(architecture: str) -> PreTrainedModel:
    model = tiny_model(architecture)
    model.set_attn_implementation(ATTENTION_NAME)
    return model


def attention(model: PreTrainedModel, layer: int) -> Any:
    return model.get_submodule(f"model.layers.{layer}.self_attn")


def forget_window(model: PreTrainedModel) -> None:
    attention(model, 0).sliding_window = None


def empty_window(model: PreTrainedModel) -> None:
    attention(model, 0).sliding_window = -1


def forget_windows_of_masks(model: PreTrainedModel) -> None:
    """Let the model be one that gives its window to its masks alone."""
    for layer in range(model.config.num_hidden_layers):
        module = attention(model, layer)
        module.config = type(module.config).from_dict({**module.config.to_dict(), "sliding_window": None})
        module.config._attn_implementation = ATTENTION_NAME


def look_ahead(model: PreTrainedModel) -> None:
    attention(model, 1).is_causal = False


def forget_layer(model: PreTrainedModel) -> None:
    attention(model, 1).layer_idx = None


def attend_by_itself(model: PreTrainedModel) -> None:
    module = attention(model, 1)
    module.forward = lambda hidden_states, **named: (torch.zeros_like(hidden_states), None)


@pytest.mark.parametrize(
    ("architecture", "change", "refusal"),
    [
        ("gemma3", forget_window, "Gemma3Attention does not tell its sliding window"),
        ("gemma3", empty_window, "Gemma3Attention attends to a window of -1 tokens"),
        (
            "mistral",
            forget_windows_of_masks,
            "MistralForCausalLM has a sliding window that its attention does not tell",
        ),
        ("llama", look_ahead, "LlamaAttention is not marked as causal"),
        ("llama", forget_layer, "LlamaAttention does not say which layer it is"),
        ("llama", attend_by_itself, "LlamaForCausalLM has layers without paged attention"),
    ],
)
def test_what_attention_does_not_tell_is_refused(
    architecture: str, change: Callable[[PreTrainedModel], None], refusal: str
) -> None:
    model = paged(architecture)
    observe_geometry(model)  # as it is, it is served
    change(model)
    with pytest.raises(ModelNotSupported, match=refusal):
        observe_geometry(model)


def test_windows_are_told_layer_by_layer() -> None:
    windows = [layer.window and layer.window.size for layer in observe_geometry(paged("gemma3")).layers]
    assert windows == [9, None, 9]
