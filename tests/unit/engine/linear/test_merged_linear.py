"""Linears of one input are found, merged, and give what they gave."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from engine.linear.merged_linear import JoinedLinear, MergedPart, merge_linears
from engine.model.checks.reference_pass import reference_logits
from tests.support.tiny_models.text import ARCHITECTURES, tiny_model

TOKENS = [5, 250, 7, 7, 31, 2, 90]


def merged_names(model: nn.Module) -> set[str]:
    return {name.rsplit(".", 1)[-1] for name, part in model.named_modules() if isinstance(part, MergedPart)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_architecture_gives_the_logits_it_gave(architecture: str) -> None:
    model = tiny_model(architecture)
    expected = reference_logits(model, TOKENS)
    merge_linears(model)
    actual = reference_logits(model, TOKENS)
    assert (actual - expected).norm() / expected.norm() < 1e-5


def test_queries_keys_and_values_are_one_product_and_gate_and_up_another() -> None:
    model = tiny_model("qwen2")
    num_layers = model.config.num_hidden_layers
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    assert merge_linears(model) == 2 * num_layers
    assert merged_names(model) == {"q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"}
    for module in model.modules():
        if type(module) is nn.Linear:
            module.register_forward_hook(count)
    reference_logits(model, TOKENS)
    assert calls == 4 * num_layers + 1  # and the head


@torch.inference_mode()
def test_layers_that_are_joined_later_keep_their_weights_until_then() -> None:
    model = tiny_model("qwen2")
    own = [
        getattr(model.model.layers[0].self_attn, name).weight.data_ptr()
        for name in ("q_proj", "k_proj", "v_proj")
    ]
    expected = reference_logits(model, TOKENS)
    assert merge_linears(model, lazily=True) == 2 * model.config.num_hidden_layers
    assert torch.equal(reference_logits(model, TOKENS), expected)
    joined = part_of(model, "model.layers.0.self_attn.k_proj").merged.linear
    assert isinstance(joined, JoinedLinear)
    assert [linear.weight.data_ptr() for linear in joined.linears] == own
    rows = torch.randn(3, 48)
    torch.testing.assert_close(joined.join()(rows), joined(rows))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_linears_of_a_merged_one_share_its_weight(dtype: torch.dtype) -> None:
    model = tiny_model("qwen2")
    nn.Module.to(model, dtype)
    linears = [getattr(model.model.layers[0].self_attn, name) for name in ("q_proj", "k_proj", "v_proj")]
    before = [linear.weight.clone() for linear in linears]
    merge_linears(model)
    whole = part_of(model, "model.layers.0.self_attn.q_proj").merged.linear
    assert isinstance(whole, nn.Linear)
    for linear, weight in zip(linears, before, strict=True):
        assert linear.weight.untyped_storage().data_ptr() == whole.weight.untyped_storage().data_ptr()
        assert torch.equal(linear.weight, weight)


def test_layers_that_are_one_already_stay() -> None:
    assert merge_linears(tiny_model("gpt_neox")) == 0


def part_of(model: nn.Module, name: str) -> MergedPart:
    part = model.get_submodule(name)
    assert isinstance(part, MergedPart)
    return part


def test_a_part_that_is_asked_alone_or_twice_tells_what_its_rows_hold_now() -> None:
    model = tiny_model("qwen2")
    linears = [getattr(model.model.layers[0].self_attn, name) for name in ("q_proj", "k_proj", "v_proj")]
    merge_linears(model)
    q, _, v = (part_of(model, f"model.layers.0.self_attn.{name}") for name in ("q_proj", "k_proj", "v_proj"))
    rows, other = torch.randn(3, 48), torch.randn(5, 48)

    def assert_gives(part: MergedPart, rows: Tensor, linear: nn.Linear) -> None:
        torch.testing.assert_close(part(rows), linear(rows))

    with torch.inference_mode():
        assert_gives(q, rows, linears[0])
        rows += 1
        assert_gives(q, rows, linears[0])
        assert_gives(v, other, linears[2])
        assert_gives(v, rows, linears[2])


def test_a_merge_that_changes_the_logits_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny_model("qwen2")
    expected = reference_logits(model, TOKENS)
    forward = MergedPart.forward
    num_calls = 0

    def forward_well_at_first(self: MergedPart, rows: Tensor) -> Tensor:
        nonlocal num_calls
        num_calls += 1
        return forward(self, rows) if num_calls <= 15 else rows.new_zeros(*rows.shape[:-1], self.out_features)

    monkeypatch.setattr(MergedPart, "forward", forward_well_at_first)
    assert merge_linears(model) == 0
    assert merged_names(model) == set()
    assert torch.equal(reference_logits(model, TOKENS), expected)


def test_a_family_whose_merged_output_differs_stays_and_the_others_are_merged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tiny_model("qwen2")
    forward = MergedPart.forward

    def forward_badly(self: MergedPart, rows: Tensor) -> Tensor:
        is_gate_or_up = len(self.merged.sizes) == 2
        return forward(self, rows) * (2 if is_gate_or_up else 1)

    monkeypatch.setattr(MergedPart, "forward", forward_badly)
    assert merge_linears(model) == model.config.num_hidden_layers
    assert merged_names(model) == {"q_proj", "k_proj", "v_proj"}


def test_a_layer_that_wants_its_linears_weight_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model: PreTrainedModel = tiny_model("qwen2")
    mlp = type(model.model.layers[0].mlp)
    forward = mlp.forward
    monkeypatch.setattr(mlp, "forward", lambda self, rows: forward(self, rows.to(self.up_proj.weight.dtype)))
    assert merge_linears(model) == model.config.num_hidden_layers
    assert merged_names(model) == {"q_proj", "k_proj", "v_proj"}
