"""A model's packed linears are described and put back; what does not fit changes nothing."""

import json
from typing import Any

import pytest
import torch
from torch import nn
from transformers import PreTrainedModel

from engine.linear.merged_linear import merge_linears
from engine.linear.packed_linear import pack_linears
from engine.linear.panel_linear import PanelLinear
from engine.linear.rounded.int8_linear import Int8Linear
from engine.linear.rounded.quantization import quantize_linears
from engine.linear.stored_linears import DoesNotFit, StoredLinears, describe_linears, restore_linears
from engine.model.checks.reference_pass import reference_logits
from tests.support.selection.instructions import needs_compiled_bfloat16
from tests.support.tiny_models.text import ARCHITECTURES, tiny_model

TOKENS = [5, 250, 7, 7, 31, 2, 90]

pytestmark = needs_compiled_bfloat16


def packed(
    architecture: str = "qwen2", *, quantize: str | None = None
) -> tuple[PreTrainedModel, StoredLinears]:
    model = tiny_model(architecture).bfloat16()
    merge_linears(model)
    quantized = quantize_linears(model, quantize) if quantize else None
    pack_linears(model)
    stored = describe_linears(model, quantized)
    assert stored is not None
    return model, stored._replace(description=json.loads(json.dumps(stored.description)))


@pytest.mark.parametrize("quantize", [None, "int8", "int4"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_model_is_put_together_as_it_was(architecture: str, quantize: str | None) -> None:
    model, (description, tensors) = packed(architecture, quantize=quantize)
    other = tiny_model(architecture).bfloat16()
    quantized = restore_linears(other, description, tensors)
    assert (quantized is not None) == (quantize is not None)
    kinds = [(name, type(module)) for name, module in model.named_modules()]
    assert [(name, type(module)) for name, module in other.named_modules()] == kinds
    assert torch.equal(reference_logits(other, TOKENS), reference_logits(model, TOKENS))


def test_the_numbers_are_not_copied() -> None:
    _, (description, tensors) = packed()
    other = tiny_model("qwen2").bfloat16()
    restore_linears(other, description, tensors)
    down = other.model.layers[0].mlp.down_proj
    assert isinstance(down, PanelLinear)
    assert down.panels is tensors["model.layers.0.mlp.down_proj.panels"]


def change(description: dict[str, Any], name: str) -> None:
    linears = description["linears"]
    if name == "gone":
        linears["model.layers.9.mlp.down_proj"] = linears.pop("model.layers.0.mlp.down_proj")
    elif name == "other size":
        linears["model.layers.1.mlp.down_proj"]["num_outputs"] += 1
    else:
        description["groups"][-1]["parts"].pop()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "there is no model.layers.9.mlp.down_proj"),
        ("other size", "model.layers.1.mlp.down_proj has other sizes"),
        ("part missing", "has other sizes"),
    ],
)
def test_what_does_not_fit_changes_nothing(name: str, message: str) -> None:
    _, (description, tensors) = packed()
    if name == "gone":
        tensors = {
            key.replace("layers.0.mlp.down", "layers.9.mlp.down"): tensor for key, tensor in tensors.items()
        }
    change(description, name)
    model = tiny_model("qwen2").bfloat16()
    with pytest.raises(DoesNotFit, match=message):
        restore_linears(model, description, tensors)
    assert not any(isinstance(module, PanelLinear | Int8Linear) for module in model.modules())


def test_a_layer_that_is_packed_already_does_not_fit() -> None:
    model, (description, tensors) = packed()
    with pytest.raises(DoesNotFit, match="is a PanelLinear|is a MergedPart"):
        restore_linears(model, description, tensors)


def test_merged_layers_that_are_not_packed_are_not_described() -> None:
    model = tiny_model("qwen2")
    merge_linears(model)
    assert describe_linears(model, None) is None


def test_a_layer_in_two_places_is_not_described() -> None:
    model, _ = packed()
    model.model.layers[1].mlp.down_proj = model.model.layers[0].mlp.down_proj
    assert describe_linears(model, None) is None


def test_a_model_without_linears_is_not_described() -> None:
    class Empty(nn.Module):
        pass

    empty: Any = Empty()
    assert describe_linears(empty, None) is None
