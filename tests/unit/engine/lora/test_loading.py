"""An adapter is loaded as PEFT writes it, or refused in one line that names the field or the tensor."""

import hashlib
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from typing_extensions import override

from engine.lora.loading import load_adapter
from engine.lora.sites import Site
from engine.model.adapters import LoraAdapter
from engine.port.errors import CannotLoadAdapter

PATH = "model.layers.0.self_attn.q_proj"
OTHER = "model.layers.1.self_attn.q_proj"
A, B = (f"base_model.model.{PATH}.lora_{side}.weight" for side in "AB")
SITES = {
    path: Site(nn.Identity(), 6, 5, torch.float32, torch.device("cpu"))
    for path in (PATH, "model.layers.0.mlp.up_proj")
}
CONFIG: dict[str, Any] = {"peft_type": "LORA", "r": 2, "lora_alpha": 8, "target_modules": ["q_proj"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "adapter_config.json").write_text(json.dumps(CONFIG))
    save_file({A: torch.ones(2, 6), B: torch.full((5, 2), 0.5)}, tmp_path / "adapter_model.safetensors")
    return tmp_path


def load(folder: Path, *, max_rank: int = 16, max_bytes: int = 10_000) -> LoraAdapter:
    return load_adapter("poet", folder, SITES, max_rank=max_rank, max_bytes=max_bytes)


def configure(folder: Path, **changes: Any) -> None:
    (folder / "adapter_config.json").write_text(json.dumps({**CONFIG, **changes}))


def retensor(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    tensors = load_file(folder / "adapter_model.safetensors")
    change(tensors)
    save_file(tensors, folder / "adapter_model.safetensors")


def test_an_adapter_has_its_scaling_in_its_second_matrix(folder: Path) -> None:
    adapter = load(folder)
    assert adapter.layers[PATH].up.tolist() == [[2.0] * 5] * 2  # 0.5 * alpha / r
    assert adapter.num_bytes == (2 * 6 + 5 * 2) * 4
    configure(folder, use_rslora=True, r=4, rank_pattern={"q_proj": 2}, alpha_pattern={"layers.0.*": 2**0.5})
    assert load(folder).layers[PATH].up.tolist() == [[pytest.approx(0.5)] * 5] * 2


@pytest.mark.parametrize("init", [True, False, None, "gaussian", "eva", "orthogonal"])
def test_an_adapter_whose_beginning_left_the_base_model_alone_is_read(folder: Path, init: object) -> None:
    before = load(folder).layers[PATH].up
    configure(folder, init_lora_weights=init, use_of_next_year=False)
    assert torch.equal(load(folder).layers[PATH].up, before)


def test_each_field_of_pefts_configuration_is_known(folder: Path) -> None:
    """Each is served, harmless, or refused by its values, those of a newer release too."""
    config: Any = LoraConfig(r=2, lora_alpha=8, target_modules=["q_proj"])
    written = config.to_dict()
    fields = {name: sorted(value) if isinstance(value, set) else value for name, value in written.items()}
    configure(folder, **fields | {"peft_type": "LORA", "task_type": None})
    assert load(folder).layers


def test_the_digest_is_of_weights_and_configuration(folder: Path) -> None:
    first = load(folder).digest
    assert load(folder).digest == first
    configure(folder, lora_alpha=9)
    second = load(folder).digest
    retensor(folder, lambda tensors: tensors[A].mul_(2))
    assert len({first, second, load(folder).digest}) == 3


def test_a_pickle_of_tensors_alone_is_read(folder: Path) -> None:
    tensors = load_file(folder / "adapter_model.safetensors")
    (folder / "adapter_model.safetensors").unlink()
    torch.save(tensors, folder / "adapter_model.bin")
    assert load(folder).layers[PATH].down.tolist() == [[1.0] * 6] * 2


def test_a_pickle_that_is_compressed_is_no_larger_when_it_is_unpacked(folder: Path) -> None:
    (folder / "adapter_model.safetensors").unlink()
    torch.save({A: torch.zeros(2, 50_000), B: torch.zeros(5, 2)}, folder / "stored.bin")
    with (
        zipfile.ZipFile(folder / "stored.bin") as stored,
        zipfile.ZipFile(folder / "adapter_model.bin", "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for name in stored.namelist():
            packed.writestr(name, stored.read(name))
    assert (folder / "adapter_model.bin").stat().st_size < 10_000
    with pytest.raises(CannotLoadAdapter, match=r"adapter_model.bin unpacks to more than 10,000 bytes"):
        load(folder)


class Runs:
    """Runs code when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (str(self._path), "w"))


def test_a_pickle_that_runs_code_does_not_run(folder: Path) -> None:
    (folder / "adapter_model.safetensors").unlink()
    with (folder / "adapter_model.bin").open("wb") as file:
        pickle.dump({A: Runs(folder / "ran")}, file, protocol=2)
    with pytest.raises(CannotLoadAdapter, match=r"adapter_model.bin holds more than tensors"):
        load(folder)
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"use_dora": True}, "use_dora True is not served"),
        ({"bias": "all"}, "bias 'all' is not served"),
        ({"modules_to_save": ["lm_head"]}, r"modules_to_save \['lm_head'\] is not served"),
        ({"lora_bias": True}, "lora_bias True is not served"),
        ({"target_parameters": ["experts.w1"]}, "target_parameters .* is not served"),
        ({"trainable_token_indices": [3]}, "trainable_token_indices .* is not served"),
        ({"alora_invocation_tokens": [3]}, "alora_invocation_tokens .* is not served"),
        ({"peft_type": "IA3"}, "peft_type 'IA3'"),
        (
            {"init_lora_weights": "pissa"},
            "init_lora_weights 'pissa' is not served, since its training began by",
        ),
        ({"init_lora_weights": "pissa_niter_16"}, "init_lora_weights 'pissa_niter_16' is not served"),
        ({"init_lora_weights": "olora"}, "init_lora_weights 'olora' is not served"),
        ({"init_lora_weights": "corda"}, "init_lora_weights 'corda' is not served"),
        ({"init_lora_weights": "loftq"}, "init_lora_weights 'loftq' is not served"),
        ({"init_lora_weights": "lora_ga"}, "init_lora_weights 'lora_ga' is not served"),
        ({"init_lora_weights": "mica"}, "init_lora_weights 'mica' is not served"),
        ({"use_of_next_year": {"rank": 2}}, "use_of_next_year .* is not served"),
        ({"r": 1_000_000}, "rank 1000000 lies outside of 1 to 16"),
        ({"r": 0}, "rank 0 lies outside"),
        ({"rank_pattern": {"q_proj": -1}}, "rank -1 lies outside"),
        ({"r": "two"}, r"Expected `int`, got `str` - at `\$.r`"),
        ({"r": 3}, rf"{A} is \[2, 6\] and must be \[3, 6\]"),
        ({"target_modules": ["k_proj"]}, f"{A}: adapter_config.json's target_modules leave it out"),
        ({"target_modules": ["q_proj", "up_proj"]}, r"layers.0.mlp.up_proj.lora_A.weight is missing"),
        ({"target_modules": "("}, "adapter_config.json: pattern"),
        ({"target_modules": r"(\w|\w\w|\w\w\w|\.|\.\w)*\d\d"}, "takes too long"),
        ({"lora_alpha": 1e39}, "lora_B.weight overflows"),
    ],
)
def test_a_configuration_that_is_not_served_is_told_by_its_field(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    configure(folder, **changes)
    with pytest.raises(CannotLoadAdapter, match=rf"^adapter 'poet': .*{message}"):
        load(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tensors: tensors.pop(A), rf"{A} is missing"),
        (lambda tensors: tensors.pop(B), rf"{B} is missing"),
        (lambda tensors: tensors.clear(), r"lora_A.weight is missing"),
        (lambda tensors: tensors.update({B: torch.ones(4, 2)}), rf"{B} is \[4, 2\] and must be \[5, 2\]"),
        (lambda tensors: tensors.update({A: torch.ones(2, 3, 2)}), rf"{A} is torch.float32 \[2, 3, 2\]"),
        (lambda tensors: tensors.update({A: torch.ones(2, 6, dtype=torch.int8)}), rf"{A} is torch.int8"),
        (lambda tensors: tensors[A].fill_(float("nan")), rf"{A} holds numbers that are not finite"),
        (lambda tensors: tensors[B].fill_(float("inf")), rf"{B} holds numbers that are not finite"),
        (
            lambda tensors: tensors.update({A.replace(PATH, OTHER): torch.ones(2, 6)}),
            rf"base_model.model.{OTHER}.lora_B.weight is missing",
        ),
        (
            lambda tensors: tensors.update(
                {A.replace(PATH, OTHER): torch.ones(2, 6), B.replace(PATH, OTHER): torch.ones(5, 2)}
            ),
            rf"{OTHER}.lora_A.weight: the model has no such linear layer",
        ),
        (
            lambda tensors: tensors.update({f"base_model.model.{PATH}.lora_magnitude_vector": torch.ones(5)}),
            "lora_magnitude_vector is no LoRA weight of a linear layer",
        ),
        (
            lambda tensors: tensors.update(
                {"base_model.model.model.embed_tokens.lora_embedding_A": torch.ones(5)}
            ),
            "embed_tokens.lora_embedding_A is no LoRA weight",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_told_by_name(
    folder: Path, change: Callable[[dict[str, Tensor]], object], message: str
) -> None:
    retensor(folder, change)
    with pytest.raises(CannotLoadAdapter, match=rf"^adapter 'poet': .*{message}"):
        load(folder)


def test_files_that_are_missing_broken_or_too_large_are_refused(folder: Path) -> None:
    with pytest.raises(CannotLoadAdapter, match="adapter_model.safetensors has more than 50 bytes"):
        load(folder, max_bytes=50)
    whole = (folder / "adapter_model.safetensors").read_bytes()
    for broken in (b"", whole[:-1], whole[:20], b"\xff" * 8 + whole[8:]):
        (folder / "adapter_model.safetensors").write_bytes(broken)
        with pytest.raises(CannotLoadAdapter, match="adapter_model.safetensors cannot be read: "):
            load(folder)
    (folder / "adapter_model.safetensors").write_bytes(whole)
    (folder / "adapter_config.json").write_text("[]")
    with pytest.raises(CannotLoadAdapter, match=r"adapter_config.json: Expected `object`"):
        load(folder)
    (folder / "adapter_model.safetensors").unlink()
    with pytest.raises(CannotLoadAdapter, match="adapter_model.safetensors: No such file"):
        load(folder)


@pytest.mark.parametrize("file", ["adapter_config.json", "adapter_model.safetensors"])
def test_a_pipe_or_a_folder_in_place_of_a_file_is_refused_at_once(folder: Path, file: str) -> None:
    (folder / file).unlink()
    os.mkfifo(folder / file)
    with pytest.raises(CannotLoadAdapter, match=f"{file}: it is a pipe"):
        load(folder)
    (folder / file).unlink()
    (folder / file).mkdir()
    with pytest.raises(CannotLoadAdapter, match=f"{file}: it is a directory"):
        load(folder)


@pytest.mark.parametrize("pickled", [False, True])
@pytest.mark.parametrize("has_files_in_memory", [True, False])
def test_the_weights_are_those_of_the_digest_though_the_file_is_rewritten_meanwhile(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, pickled: bool, has_files_in_memory: bool
) -> None:
    if not has_files_in_memory:
        monkeypatch.delattr(os, "memfd_create")
    path = folder / "adapter_model.safetensors"
    if pickled:
        path, stored = folder / "adapter_model.bin", path
        torch.save(load_file(stored), path)
        stored.unlink()
    expected = load(folder)
    sha256 = hashlib.sha256

    def rewrite(contents: bytes = b"") -> Any:
        """Overwrite the file once it has been read, when the digest of both files is made."""
        if contents:
            path.write_bytes(bytes(path.stat().st_size))
        return sha256(contents)

    monkeypatch.setattr(hashlib, "sha256", rewrite)
    adapter = load(folder)
    monkeypatch.undo()
    assert not any(path.read_bytes())
    assert adapter.digest == expected.digest
    assert adapter.layers[PATH].down.equal(expected.layers[PATH].down)


def test_no_descriptor_stays_open(folder: Path) -> None:
    whole = (folder / "adapter_model.safetensors").read_bytes()
    load(folder)
    load(folder)
    (folder / "adapter_model.safetensors").write_bytes(whole[:-1])
    with pytest.raises(CannotLoadAdapter):
        load(folder)
    names = []
    for number in os.listdir("/dev/fd"):
        with suppress(OSError):  # the one by which they are listed
            names.append(os.readlink(f"/dev/fd/{number}"))
    assert not any(name.startswith(str(folder)) for name in names)
