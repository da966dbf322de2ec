"""A start takes the packed weights of an earlier one, of this very checkpoint, and computes the same."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from engine.assembly.engine_parts import EngineParts
from engine.build import build_parts
from engine.config import EngineConfig
from engine.linear.stored_linears import DoesNotFit
from engine.model.checks.self_check import paged_logits
from engine.packed_cache import search
from engine.packed_cache.early_reading import FEWEST_BYTES
from engine.packed_cache.search import Search, search_for
from tests.support.selection.effort import usually
from tests.support.selection.instructions import needs_compiled_bfloat16
from tests.support.tiny_models.text import save_tiny_model

keep_soon = Search.keep_soon


@pytest.fixture(autouse=True)
def small_models_are_kept_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FEWEST_BYTES", 1)
    monkeypatch.setattr(Search, "keep_soon", Search.keep)


@pytest.fixture
def config(tmp_path: Path) -> EngineConfig:
    """Return the config of a tiny model, with a cache that is empty."""
    model = save_tiny_model(tmp_path / "model", "qwen2")
    return EngineConfig(
        model=str(model),
        device="cpu",
        dtype="bfloat16",
        packed_cache=str(tmp_path / "cache"),
        num_kv_blocks=64,
    )


def start(config: EngineConfig, said: list[str] | None = None) -> tuple[EngineParts, Tensor]:
    """The parts of an engine, and its logits of a few tokens."""
    parts = build_parts(config, (said if said is not None else []).append)
    return parts, paged_logits(parts.runner)


def cached(config: EngineConfig) -> list[Path]:
    assert config.packed_cache is not None
    return list(Path(config.packed_cache).glob("*"))


def replaced(config: EngineConfig, **changes: object) -> EngineConfig:
    values = {name: getattr(config, name) for name in config.__struct_fields__}
    return EngineConfig(**(values | changes))


@needs_compiled_bfloat16
@pytest.mark.parametrize("quantize", [None, "int8", "int4", "int4-g64", "int4-asym"])
def test_a_second_start_computes_the_same_bits_from_the_cache(
    config: EngineConfig, quantize: str | None
) -> None:
    config = replaced(config, quantize=quantize)
    first, expected = start(config)
    assert len(cached(config)) == 1
    said: list[str] = []
    second, actual = start(config, said)
    assert f"weights of linear layers as packed before, from {cached(config)[0]}" in said
    assert torch.equal(actual, expected)
    assert second.info == first.info


@needs_compiled_bfloat16
@pytest.mark.by_turns("architecture", "quantize")
@pytest.mark.parametrize("quantize", [None, "int8", "int4"])
@pytest.mark.parametrize(
    "architecture", usually(["qwen3_next", "lfm2", "falcon_h1", "mamba"], ("qwen3_next",))
)
def test_a_second_start_of_a_hybrid_computes_the_same_bits_from_the_cache(
    architecture: str, quantize: str | None, config: EngineConfig, tmp_path: Path
) -> None:
    model = save_tiny_model(tmp_path / architecture, architecture)
    config = replaced(config, model=str(model), quantize=quantize)
    first, expected = start(config)
    said: list[str] = []
    second, actual = start(config, said)
    assert f"weights of linear layers as packed before, from {cached(config)[0]}" in said
    assert torch.equal(actual, expected)
    assert second.info == first.info


@needs_compiled_bfloat16
def test_the_numbers_come_from_the_mapped_file(config: EngineConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    start(config)
    for name in ("merge_linears", "pack_linears", "check_finite"):
        monkeypatch.delattr(f"engine.assembly.prepared_model.{name}")
    monkeypatch.delattr("engine.model.loading.loader.check_finite")
    start(config)


@needs_compiled_bfloat16
def test_one_other_number_is_another_model(config: EngineConfig) -> None:
    _, before = start(config)
    path = Path(config.model, "model.safetensors")
    weights = load_file(path)
    name = next(name for name in weights if name.endswith("o_proj.weight"))
    weights[name][0, 0] += 8
    save_file(weights, path, metadata={"format": "pt"})
    said: list[str] = []
    _, after = start(config, said)
    assert not any("packed before" in line for line in said)
    assert not torch.equal(before, after)
    assert torch.equal(start(config)[1], after)


@needs_compiled_bfloat16
def test_another_way_of_packing_has_an_entry_of_its_own(config: EngineConfig) -> None:
    start(config)
    for num_others, quantize in enumerate(("int8", "int4", "int4-g64", "int4-asym"), start=1):
        start(replaced(config, quantize=quantize))
        assert len(cached(config)) == 1 + num_others


@needs_compiled_bfloat16
def test_a_broken_entry_is_made_anew(config: EngineConfig, caplog: pytest.LogCaptureFixture) -> None:
    _, expected = start(config)
    [path] = cached(config)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5000] + bytes(5000))
    assert torch.equal(start(config)[1], expected)
    assert "is broken, and is removed" in caplog.text
    assert path.read_bytes() == whole


@needs_compiled_bfloat16
def test_an_entry_that_does_not_fit_is_removed_and_the_model_checked(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, expected = start(config)
    checked = []

    def refuse(*_: object) -> None:
        raise DoesNotFit("there is no such layer")

    monkeypatch.setattr("engine.assembly.prepared_model.restore_linears", refuse)
    monkeypatch.setattr(
        "engine.assembly.prepared_model.check_finite", lambda directory, weights: checked.append(directory)
    )
    said: list[str] = []
    assert torch.equal(start(config, said)[1], expected)
    assert any("does not fit the model, and is removed: there is no such layer" in line for line in said)
    assert checked == [Path(config.model)]
    assert len(cached(config)) == 1  # of this start


@needs_compiled_bfloat16
def test_a_folder_that_cannot_be_written_is_no_obstacle(
    config: EngineConfig, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    start(replaced(config, packed_cache=str(tmp_path / "file")))
    assert "packed weights are not kept" in caplog.text


def test_float32_is_not_kept(config: EngineConfig) -> None:
    config = replaced(config, dtype="float32")
    start(config)
    assert cached(config) == []


def test_without_a_cache_nothing_is_searched(config: EngineConfig) -> None:
    for change in ({"packed_cache": None}, {"trust_remote_code": True}):
        assert search_for(replaced(config, **change), Path(config.model)) is None


@needs_compiled_bfloat16
def test_an_entry_is_written_after_a_while_unless_the_process_ends(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Search, "keep_soon", keep_soon)
    timers: list[threading.Timer] = []
    ends: list[Callable[[threading.Timer], None]] = []

    def register(end: Callable[[threading.Timer], None], timer: threading.Timer) -> None:
        ends.append(end)
        timers.append(timer)

    monkeypatch.setattr("engine.packed_cache.search.atexit.register", register)
    start(config)
    ends[0](timers[0])
    assert cached(config) == [] and not timers[0].is_alive()
    monkeypatch.setattr(search, "_WRITE_AFTER_S", 0.0)
    start(config)
    timers[1].join(30)
    assert len(cached(config)) == 1


@needs_compiled_bfloat16
def test_files_that_change_during_the_start_are_not_taken_from_the_cache(config: EngineConfig) -> None:
    start(config)
    directory = Path(config.model)
    found = search_for(config, directory)
    assert found is not None and found.entry() is not None
    path = directory / "model.safetensors"
    path.write_bytes(path.read_bytes())
    assert found.entry() is None
    assert not found.keep({}, {})


def test_small_checkpoints_are_not_kept(config: EngineConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FEWEST_BYTES", FEWEST_BYTES)
    start(config)
    assert cached(config) == []
