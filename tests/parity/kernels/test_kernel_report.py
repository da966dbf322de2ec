"""A loaded model's report names all compiled code, and says what of it is in use and why the rest is not."""

from pathlib import Path
from typing import Any, Literal, get_args

import pytest
import torch
from torch import Tensor

from engine.build import build_core
from engine.config import EngineConfig
from engine.fusion.fused_layer import FusedLayer
from engine.native import library
from engine.native.library import Loaded
from engine.port.errors import KernelsMissing
from engine.port.info.kernels import Kernel, KernelName, Obstacle
from tests.support.selection.instructions import needs_compiled_bfloat16, needs_compiler
from tests.support.tiny_models.text import save_tiny_model

NO_COMPILER = Obstacle("no C++ compiler is found (g++)", is_lack=True)


def report(
    directory: Path, architecture: str = "qwen2", *, hidden_size: int = 48, **options: Any
) -> dict[str, Kernel]:
    model = save_tiny_model(directory, architecture, hidden_size=hidden_size)
    config = EngineConfig(model=str(model), device="cpu", num_kv_blocks=8, **options)
    return {kernel.name: kernel for kernel in build_core(config, lambda line: None).info.kernels}


def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("obstacles.loaded", "library.loaded"):
        monkeypatch.setattr(f"engine.native.{place}", lambda: Loaded(None, NO_COMPILER.reason))


def test_all_compiled_code_is_in_the_report(tmp_path: Path) -> None:
    asked_for = {"int8", "int4", "fp8", "stored_groups", "adapters"}  # by an option, a checkpoint, adapters
    on_a_gpu = {"varlen_attention", "decode_graphs", "mixed_graphs", "launch_ahead"}
    assert set(report(tmp_path)) == set(get_args(KernelName)) - asked_for - on_a_gpu


@needs_compiler
def test_nothing_is_missing_where_there_is_a_compiler(tmp_path: Path) -> None:
    kernels = report(tmp_path, require_native=True)
    assert kernels["layer_fusion"] == Kernel("layer_fusion", True, "3 of 3 layers")
    assert kernels["ranking"] == Kernel("ranking", True)
    assert kernels["decode_attention"] == Kernel("decode_attention", True)
    assert kernels["chunk_attention"] == Kernel("chunk_attention", True)


@needs_compiled_bfloat16
def test_layers_of_bfloat16_are_one_call_on_every_processor(tmp_path: Path) -> None:
    kernels = report(tmp_path, dtype="bfloat16", require_native=True)
    assert kernels["layer_stacking"] == Kernel("layer_stacking", True, "3 of 3 layers")
    assert kernels["decode_path"] == Kernel("decode_path", True)


@needs_compiled_bfloat16
@pytest.mark.parametrize("quantize", ["int8", "int4"])
def test_rounded_layers_are_stacked_and_decode_by_the_fast_path(
    quantize: Literal["int8", "int4"], tmp_path: Path
) -> None:
    kernels = report(tmp_path, hidden_size=64, dtype="bfloat16", quantize=quantize, require_native=True)
    assert kernels[quantize] == Kernel(quantize, True)
    assert kernels["layer_stacking"] == Kernel("layer_stacking", True, "3 of 3 layers")
    assert kernels["decode_path"] == Kernel("decode_path", True)


@needs_compiler
def test_float32_is_no_dtype_of_a_stack(tmp_path: Path) -> None:
    kernels = report(tmp_path, dtype="float32")
    assert kernels["layer_stacking"].obstacle == Obstacle("takes bfloat16, not float32")
    assert kernels["decode_path"].obstacle == Obstacle("its layers are not one stack")


def test_float16_is_no_dtype_of_compiled_code(tmp_path: Path) -> None:
    kernels = report(tmp_path, dtype="float16", require_native=True)
    assert not any(kernel.in_use for kernel in kernels.values())
    assert kernels["ranking"].obstacle == Obstacle("takes float32 and bfloat16, not float16")


@needs_compiler
def test_a_model_of_other_layers_has_its_own(tmp_path: Path) -> None:
    kernels = report(tmp_path, "gpt2", require_native=True)
    assert kernels["layer_fusion"].obstacle == Obstacle("it has no layers like Llama's")
    assert kernels["layer_stacking"].obstacle == Obstacle("no layer is fused")


def test_without_a_compiler_what_could_be_used_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_compiler(monkeypatch)
    kernels = report(tmp_path)
    assert kernels["ranking"].obstacle == kernels["layer_fusion"].obstacle == NO_COMPILER
    assert not any(kernel.in_use for kernel in kernels.values())


def test_native_code_that_is_required_is_asked_for_before_a_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_compiler(monkeypatch)
    config = EngineConfig(model=str(tmp_path / "none"), device="cpu", require_native=True)
    with pytest.raises(KernelsMissing, match=r"no C\+\+ compiler is found"):
        build_core(config, lambda line: None)


@needs_compiler
def test_layers_that_differ_are_missing_where_native_code_is_required(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward: Any = FusedLayer.forward

    def forward_wrongly(self: FusedLayer, hidden_states: Tensor, **options: Any) -> Tensor:
        return torch.zeros_like(forward(self, hidden_states, **options))

    monkeypatch.setattr(FusedLayer, "forward", forward_wrongly)
    with pytest.raises(KernelsMissing, match="layer fusion: outputs differ"):
        report(tmp_path, require_native=True)


def test_a_library_that_cannot_be_loaded_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    assert library.loaded.__wrapped__() == Loaded(None, "it runs only on Linux, not on Darwin")
