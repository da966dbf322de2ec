"""Weights on this machine get memory ahead where a CPU runs them; others are left to the loading."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from engine.config import EngineConfig
from engine.demo_model import DEMO_MODEL
from engine.model.loading import head_start
from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.model.loading.head_start import begin_loading
from tests.support.selection.instructions import needs_compiler


def save(directory: Path, dtype: torch.dtype, *, has_head: bool = True) -> None:
    weights = {
        "embed_tokens.weight": torch.ones(100, 4, dtype=dtype),
        **({"lm_head.weight": torch.ones(100, 4, dtype=dtype)} if has_head else {}),
        "norm.weight": torch.ones(8, dtype=dtype),
        "down_proj.weight": torch.ones(8, 4, dtype=dtype),
        "mlp.experts.0.down_proj.weight": torch.ones(16, 4, dtype=dtype),
    }
    save_file(weights, directory / "model.safetensors")
    (directory / "config.json").write_text("{}")


@pytest.fixture
def reserved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes that were reserved."""
    sizes: list[int] = []
    monkeypatch.setattr(head_start, "reserve_memory", sizes.append)
    return sizes


@pytest.mark.parametrize(
    ("stored", "asked", "quantize", "size", "tied_size"),
    [
        (torch.bfloat16, "auto", None, 864, 864),
        (torch.bfloat16, "bfloat16", "int8", 432, 32),
        (torch.bfloat16, "auto", "int4", 216, 16),
        (torch.bfloat16, "auto", "int4-g128-asym", 216, 16),
        (torch.float16, "auto", None, 864, 864),
        (torch.float32, "auto", "int8", 432, 32),
    ],
)
@pytest.mark.parametrize("is_tied", [True, False])
def test_a_cpu_gets_memory_for_what_is_laid_out_anew(
    reserved: list[int],
    tmp_path: Path,
    stored: torch.dtype,
    asked: str,
    quantize: str | None,
    size: int,
    tied_size: int,
    is_tied: bool,
) -> None:
    save(tmp_path, stored, has_head=not is_tied)
    begin_loading(EngineConfig(model=str(tmp_path), device="cpu", dtype=asked, quantize=quantize))
    assert reserved == [tied_size if is_tied else size]


@pytest.mark.parametrize(
    ("stored", "asked"), [(torch.float32, "auto"), (torch.float32, "bfloat16"), (torch.bfloat16, "float32")]
)
def test_what_is_converted_or_stays_as_it_is_gets_none(
    reserved: list[int], tmp_path: Path, stored: torch.dtype, asked: str
) -> None:
    save(tmp_path, stored)
    begin_loading(EngineConfig(model=str(tmp_path), device="cpu", dtype=asked))
    assert reserved == []


@pytest.mark.parametrize(
    ("has_head", "asked", "quantize", "sizes"),
    [
        (True, "auto", None, [2 * 320 * 64 + 64 * 32 * 18 // 32 + 320 * 64 * 34 // 32]),
        (False, "auto", None, [2 * 320 * 64 + 64 * 32 * 18 // 32 + 320 * 64 * 34 // 32]),
        (True, "bfloat16", None, []),
        (True, "auto", "int8", []),
    ],
)
@needs_compiler
def test_a_cpu_gets_memory_for_the_blocks_of_a_gguf_file(
    reserved: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    has_head: bool,
    asked: str,
    quantize: str | None,
    sizes: list[int],
) -> None:
    tensors = {
        "token_embd.weight": StoredTensor("Q8_0", (320, 64), (32, 34)),
        **({"output.weight": StoredTensor("Q8_0", (320, 64), (32, 34))} if has_head else {}),
        "blk.0.ffn_down.weight": StoredTensor("Q4_0", (64, 32), (32, 18)),
        "blk.0.attn_q.weight": StoredTensor("F16", (64, 32), (1, 2)),
        "output_norm.weight": StoredTensor("F32", (64,), (1, 4)),
    }
    file, described = tmp_path / "a.gguf", tmp_path / "described"
    file.touch()
    described.mkdir()
    (described / "model.gguf").symlink_to(file)
    monkeypatch.setattr(head_start, "_own_or_fetched", lambda config: described)
    monkeypatch.setattr(head_start, "is_described", lambda directory: directory == described)
    monkeypatch.setattr(head_start, "read_headers", lambda directory: tensors)
    begin_loading(EngineConfig(model=str(file), device="cpu", dtype=asked, quantize=quantize))
    assert reserved == sizes


def test_a_broken_file_is_no_error_yet(reserved: list[int], tmp_path: Path) -> None:
    save(tmp_path, torch.bfloat16)
    (tmp_path / "model.safetensors").write_bytes(b"12345")
    begin_loading(EngineConfig(model=str(tmp_path), device="cpu"))
    assert reserved == []


def test_a_gpu_needs_none(reserved: list[int]) -> None:
    begin_loading(EngineConfig(model=str(DEMO_MODEL), device="cuda:0"))
    assert reserved == []


def test_the_hubs_cache_is_searched(
    reserved: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path, torch.bfloat16)
    asked = []

    def download(*args: object, **options: object) -> str:
        asked.append((args, options))
        return str(tmp_path)

    monkeypatch.setattr(head_start, "snapshot_download", download)
    begin_loading(EngineConfig(model="owner/name", revision="main", device="cpu"))
    assert asked == [(("owner/name",), {"revision": "main", "local_files_only": True})]
    assert reserved == [864]


@pytest.mark.parametrize("model", ["/no/such/directory", "owner/that-nobody-has-fetched", "a name?"])
def test_a_model_that_is_not_there_is_no_error_yet(model: str, reserved: list[int]) -> None:
    begin_loading(EngineConfig(model=model, device="cpu"))
    assert reserved == []
