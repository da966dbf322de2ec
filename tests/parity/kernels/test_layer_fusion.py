"""Fused layers stand where they compute what the layer computes, and nowhere else."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.models.qwen2.modeling_qwen2 import Qwen2DecoderLayer, Qwen2RMSNorm, Qwen2RotaryEmbedding

from engine.build import build_core
from engine.config import EngineConfig
from engine.fusion.fused_layer import FusedLayer
from engine.fusion.layer_fusion import fuse_layers
from engine.linear.merged_linear import merge_linears
from engine.model.checks.reference_pass import reference_logits
from engine.native.library import Loaded
from engine.port.info.kernels import Kernel, Obstacle
from tests.support.selection.instructions import needs_compiler
from tests.support.tiny_models.text import ARCHITECTURES, save_tiny_model

FUSED = {"llama", "mistral", "qwen2", "qwen3"}
NUM_LAYERS = 3
TOKENS = [5, 250, 7, 7, 31, 2, 90]
TOLERANCE = {"float32": 1e-5, "bfloat16": 1e-2}

pytestmark = needs_compiler


@dataclass(frozen=True)
class Outcome:
    """Paged and plain logits before layers were fused, and after it; and what the report says."""

    model: PreTrainedModel
    kernel: Kernel
    before: tuple[Tensor, Tensor]
    after: tuple[Tensor, Tensor]

    @property
    def num_fused(self) -> int:
        return sum(isinstance(part, FusedLayer) for part in self.model.modules())


Build = Callable[..., Outcome]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Builds an engine for a tiny model, and tells what became of its layers."""

    def build(architecture: str, **options: Any) -> Outcome:
        outcomes = []

        def fuse(model: PreTrainedModel, run: Callable[[], Tensor], *, is_quantized: bool) -> Kernel:
            before = run(), reference_logits(model, TOKENS)
            kernel = fuse_layers(model, run, is_quantized=is_quantized)
            after = run(), reference_logits(model, TOKENS)
            outcomes.append(Outcome(model, kernel, before, after))
            return kernel

        monkeypatch.setattr("engine.assembly.paged_parts.fuse_layers", fuse)
        directory = save_tiny_model(tmp_path, architecture)
        config = EngineConfig(model=str(directory), device="cpu", num_kv_blocks=8, **options)
        build_core(config, lambda line: None)
        [outcome] = outcomes
        num_fused = outcome.num_fused
        assert outcome.kernel.in_use == (num_fused > 0)
        assert outcome.kernel.scope == (f"{num_fused} of {NUM_LAYERS} layers" if num_fused else "")
        assert (outcome.kernel.obstacle is None) == (num_fused == NUM_LAYERS)
        return outcome

    return build


def difference(outcome: Outcome) -> float:
    """Relative, of paged logits."""
    actual, expected = outcome.after[0], outcome.before[0]
    return float((actual - expected).norm() / expected.norm())


@pytest.mark.parametrize(
    ("architecture", "dtype"),
    [*((name, "float32") for name in ARCHITECTURES), *((name, "bfloat16") for name in sorted(FUSED))],
)
def test_layers_of_the_common_kind_are_fused_and_others_left_alone(
    architecture: str, dtype: str, build: Build
) -> None:
    outcome = build(architecture, dtype=dtype)
    assert outcome.num_fused == (NUM_LAYERS if architecture in FUSED else 0)
    assert difference(outcome) < TOLERANCE[dtype]


@needs_compiler
@pytest.mark.parametrize("quantize", ["int8", "int4", "int4-asym"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_rounded_layers_are_fused_too(dtype: str, quantize: str, build: Build) -> None:
    outcome = build("qwen3", dtype=dtype, quantize=quantize)
    assert outcome.num_fused == NUM_LAYERS
    assert difference(outcome) < TOLERANCE["bfloat16"]  # a number may be rounded to the next of 255 levels


def test_what_is_not_paged_attention_goes_to_the_layer_as_it_was(build: Build) -> None:
    outcome = build("qwen2")
    assert outcome.num_fused == NUM_LAYERS
    assert torch.equal(outcome.after[1], outcome.before[1])


def test_a_layer_that_does_more_than_its_modules_tell_stays(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward: Any = Qwen2DecoderLayer.forward

    def forward_with_more(self: Any, hidden_states: Tensor, **options: Any) -> Any:
        output = forward(self, hidden_states, **options)
        return output if self.self_attn.layer_idx != 1 else output + 0.01 * output.roll(1, -1)

    monkeypatch.setattr(Qwen2DecoderLayer, "forward", forward_with_more)
    outcome = build("qwen2")
    assert outcome.num_fused == NUM_LAYERS - 1
    assert difference(outcome) < TOLERANCE["float32"]
    assert outcome.kernel.obstacle is not None and outcome.kernel.obstacle.is_lack


def test_a_layer_that_is_told_positions_in_another_form_stays(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward: Any = Qwen2DecoderLayer.forward
    embed: Any = Qwen2RotaryEmbedding.forward

    def embed_by_name(self: Any, *args: Any, **options: Any) -> Any:
        return {"full": embed(self, *args, **options)}

    def forward_by_name(self: Any, hidden_states: Tensor, position_embeddings: Any, **options: Any) -> Any:
        return forward(self, hidden_states, position_embeddings=position_embeddings["full"], **options)

    monkeypatch.setattr(Qwen2RotaryEmbedding, "forward", embed_by_name)
    monkeypatch.setattr(Qwen2DecoderLayer, "forward", forward_by_name)
    assert build("qwen2").num_fused == 0


def test_a_layer_whose_norms_are_of_another_type_stays(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    forward: Any = Qwen2RMSNorm.forward

    def widen_and_merge(model: PreTrainedModel, **options: bool) -> int:
        for part in model.modules():
            if isinstance(part, Qwen2RMSNorm):
                part.float()
        return merge_linears(model, **options)

    monkeypatch.setattr(Qwen2RMSNorm, "forward", lambda self, rows: forward(self, rows).to(rows.dtype))
    monkeypatch.setattr("engine.assembly.prepared_model.merge_linears", widen_and_merge)
    assert build("qwen2", dtype="bfloat16").num_fused == 0


def test_a_fusion_that_changes_the_logits_is_undone(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    forward: Any = FusedLayer.forward
    num_calls = 0

    def forward_well_at_first(self: FusedLayer, hidden_states: Tensor, **options: Any) -> Tensor:
        nonlocal num_calls
        num_calls += 1
        output: Tensor = forward(self, hidden_states, **options)
        return output if num_calls <= 3 * NUM_LAYERS else torch.zeros_like(output)

    monkeypatch.setattr(FusedLayer, "forward", forward_well_at_first)
    outcome = build("qwen2")
    assert num_calls > 3 * NUM_LAYERS
    assert outcome.num_fused == 0
    assert outcome.kernel.obstacle is not None and outcome.kernel.obstacle.is_lack
    assert torch.equal(outcome.after[0], outcome.before[0])


def test_without_a_compiler_layers_stay(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.native.obstacles.loaded", lambda: Loaded(None, "no compiler"))
    outcome = build("qwen2")
    assert outcome.num_fused == 0
    assert outcome.kernel.obstacle == Obstacle("no compiler", is_lack=True)


def test_without_merged_products_layers_stay(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.assembly.prepared_model.merge_linears", lambda *_, **__: 0)
    outcome = build("qwen2")
    assert outcome.num_fused == 0
    assert outcome.kernel.obstacle == Obstacle("its products could not be merged")
