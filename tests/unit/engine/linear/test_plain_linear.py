"""Merging, packing and rounding pass by weights of a class of their own, and those that are read."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.linear.merged_linear import MergedPart, merge_linears
from engine.linear.packed_linear import pack_linears
from engine.linear.plain_linear import ReadLinear, is_plain
from engine.linear.rounded.quantization import quantize_linears
from engine.model.checks.reference_pass import reference_logits
from tests.support.selection.instructions import needs_compiler
from tests.support.tiny_models.text import tiny_model

TOKENS = [5, 250, 7, 7, 31, 2, 90]


class Halved(Tensor):
    """A weight stored as its double, as a quantized one is stored as something else."""

    stored: Tensor

    @staticmethod
    def __new__(cls, stored: Tensor) -> "Halved":
        new = Tensor._make_wrapper_subclass(cls, stored.shape, dtype=stored.dtype)
        new.stored = stored
        assert isinstance(new, Halved)
        return new

    @classmethod
    @override
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is nn.functional.linear:
            rows, weight, bias = (*args, None)[:3]
            return nn.functional.linear(rows, weight.stored / 2, bias)
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    @classmethod
    @override
    def __torch_dispatch__(  # type: ignore[override]  # a class method, as torch documents it
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func is torch.ops.aten.detach.default:
            return cls(args[0].stored)
        raise NotImplementedError(f"{func} reads a weight that only `linear` can")


def test_weights_of_a_class_of_their_own_stay_as_they_are() -> None:
    model = tiny_model("llama")
    nn.Module.to(model, torch.bfloat16)
    ids = torch.arange(8)[None]
    with torch.inference_mode():
        expected = model(input_ids=ids).logits.float()
    special = [model.get_submodule(f"model.layers.1.{name}") for name in ("self_attn.q_proj", "mlp.up_proj")]
    for layer in special:
        assert isinstance(layer, nn.Linear)
        layer.weight = nn.Parameter(Halved(layer.weight.detach() * 2), requires_grad=False)
        assert not is_plain(layer)
    merge_linears(model)
    quantize_linears(model)
    pack_linears(model)
    assert isinstance(model.get_submodule("model.layers.1.self_attn.k_proj"), MergedPart)
    assert [
        model.get_submodule("model.layers.1.self_attn.q_proj"),
        model.get_submodule("model.layers.1.mlp.up_proj"),
    ] == special
    model.set_attn_implementation("eager")
    with torch.inference_mode():
        actual = model(input_ids=ids).logits.float()
    assert (actual - expected).norm() / expected.norm() < 0.1


@needs_compiler
@pytest.mark.parametrize("quantize", [False, True])
def test_linear_layers_whose_weights_a_model_reads_stay_as_they_are(quantize: bool) -> None:
    model = tiny_model("mamba")
    nn.Module.to(model, torch.bfloat16)
    expected = reference_logits(model, TOKENS)
    merge_linears(model)
    if quantize:
        quantize_linears(model)
    pack_linears(model)
    read = {path.rpartition(".")[2] for path, part in model.named_modules() if isinstance(part, ReadLinear)}
    assert read == {"dt_proj", "lm_head"}
    assert not any(is_plain(part) for part in model.modules()), "all others are packed"
    actual = reference_logits(model, TOKENS)
    assert (actual - expected).norm() / expected.norm() < 0.1
