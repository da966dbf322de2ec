"""A model of the hub comes from this machine's cache, with safetensors or with PyTorch's files."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from huggingface_hub import constants
from huggingface_hub.errors import NotASafetensorsRepoError
from huggingface_hub.utils._safetensors import SafetensorsFileMetadata, SafetensorsRepoMetadata, TensorInfo
from safetensors.torch import load_file

from engine.config import EngineConfig
from engine.dry_run import dry_run
from engine.model.loading.checkpoint.stored_tensors import read_headers
from engine.model.loading.loader import load_model
from engine.port.errors import ModelNotSupported
from tests.support.tiny_models.text import save_tiny_model

_COMMIT = "0123456789abcdef0123456789abcdef01234567"
_CONFIG = EngineConfig(model="owner/tiny", device="cpu")


@pytest.fixture
def snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's folder of a model in a cache that this process uses, without a network."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    repository = tmp_path / "models--owner--tiny"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(_COMMIT)
    return save_tiny_model(repository / "snapshots" / _COMMIT)


def load() -> tuple[Any, list[str]]:
    said: list[str] = []
    return load_model(_CONFIG, said.append), said


def test_a_model_of_the_hub_is_loaded_from_the_cache(snapshot: Path) -> None:
    loaded, said = load()
    assert (loaded.plan.directory, loaded.plan.revision) == (snapshot, _COMMIT)
    assert said[0] == "fetching owner/tiny from the Hugging Face hub"
    found = dry_run(_CONFIG, said.append)
    assert found.refusal is None and found.info is not None and found.info.revision == _COMMIT


def test_a_model_of_the_hub_may_have_files_of_pytorchs_alone(snapshot: Path) -> None:
    tensors = load_file(snapshot / "model.safetensors")
    torch.save(tensors, snapshot / "pytorch_model.bin")
    torch.save({"of": "the training"}, snapshot / "training_args.bin")
    (snapshot / "model.safetensors").unlink()
    loaded, _ = load()
    weights = loaded.model.state_dict()
    assert all(torch.equal(weights[name], tensor) for name, tensor in tensors.items())
    assert dry_run(_CONFIG, lambda line: None).refusal is None


def test_a_directory_of_other_bin_files_holds_no_weights(snapshot: Path) -> None:
    torch.save({"of": "the training"}, snapshot / "training_args.bin")
    (snapshot / "model.safetensors").unlink()
    with pytest.raises(ModelNotSupported, match="holds no weights"):
        load()


def test_a_dry_run_fetches_headers_where_weights_are_not_on_this_machine(
    snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = dry_run(_CONFIG, lambda line: None)
    headers = read_headers(snapshot)
    assert headers is not None
    (snapshot / "model.safetensors").unlink()
    asked: list[str] = []

    def get(model: str, revision: str | None) -> SafetensorsRepoMetadata:
        asked.append(model)
        tensors = {
            name: TensorInfo(dtype=tensor.dtype, shape=[*tensor.shape], data_offsets=(0, tensor.num_bytes))  # type: ignore[arg-type]  # any of its names
            for name, tensor in headers.items()
        }
        file = SafetensorsFileMetadata(metadata={}, tensors=tensors)
        return SafetensorsRepoMetadata(
            metadata={}, sharded=False, weight_map={}, files_metadata={"model.safetensors": file}
        )

    monkeypatch.setattr("engine.model.loading.fetching.get_safetensors_metadata", get)
    found = dry_run(_CONFIG, lambda line: None)
    assert asked == ["owner/tiny"]
    assert (found.refusal, found.notes) == (None, ())
    assert found.info is not None and whole.info is not None
    assert found.info.weight_bytes == whole.info.weight_bytes
    del headers["model.norm.weight"]  # type: ignore[attr-defined]  # a dict
    refusal = dry_run(_CONFIG, lambda line: None).refusal
    assert refusal is not None and "lack what its config.json describes: model.norm.weight" in refusal


def test_a_dry_run_says_that_headers_cannot_be_fetched(
    snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (snapshot / "model.safetensors").unlink()
    refusal = dry_run(_CONFIG, lambda line: None).refusal
    assert refusal is not None and "the headers of owner/tiny cannot be fetched: " in refusal

    def get(model: str, revision: str | None) -> None:
        raise NotASafetensorsRepoError("none")

    monkeypatch.setattr("engine.model.loading.fetching.get_safetensors_metadata", get)
    refusal = dry_run(_CONFIG, lambda line: None).refusal
    assert refusal is not None and "has no safetensors, whose headers could be read alone" in refusal


def test_a_model_that_is_nowhere_is_refused(snapshot: Path) -> None:
    shutil.rmtree(snapshot.parent.parent)
    with pytest.raises(ModelNotSupported, match="neither a directory nor a model that the Hugging Face hub"):
        load()
    refusal = dry_run(_CONFIG, lambda line: None).refusal
    assert refusal is not None and "neither a directory nor a model that the Hugging Face hub" in refusal
