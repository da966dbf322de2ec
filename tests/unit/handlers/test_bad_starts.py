"""Configurations that cannot be served are refused at the start: in one line, with a status."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import torch
from safetensors.torch import load_file, save_file

from handlers.cli import main
from handlers.process.exit_status import ExitStatus
from tests.conftest import COMMAND
from tests.support.tiny_models.text import save_tiny_model


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "llama")


@pytest.fixture
def model(whole: Path, tmp_path: Path) -> Path:
    """A copy to be spoiled."""
    return Path(shutil.copytree(whole, tmp_path / "model"))


def error_of(capsys: pytest.CaptureFixture[str], *options: str, status: int = ExitStatus.FAILED) -> str:
    """The one line that `verbatim serve` says."""
    capsys.readouterr()
    assert main(["serve", "--port", "0", *options]) == status
    said = capsys.readouterr().err
    assert said.startswith("verbatim: error: ") and said.count("\n") == 1, said
    return said.removeprefix("verbatim: error: ")


def with_config(**changes: object) -> Callable[[Path], None]:
    def spoil(model: Path) -> None:
        path = model / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return spoil


def with_weights(change: Callable[[dict[str, torch.Tensor]], None]) -> Callable[[Path], None]:
    def spoil(model: Path) -> None:
        weights = load_file(model / "model.safetensors")
        change(weights)
        save_file(weights, model / "model.safetensors", metadata={"format": "pt"})

    return spoil


def with_text(name: str, text: str) -> Callable[[Path], None]:
    def spoil(model: Path) -> None:
        (model / name).write_text(text)

    return spoil


def with_pickle(model: Path) -> None:
    (model / "model.safetensors").unlink()
    (model / "pytorch_model.bin").write_bytes(b"nonsense")


def cut_short(model: Path) -> None:
    weights = model / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def without_tokenizer(model: Path) -> None:
    for path in model.glob("*token*"):
        path.unlink()


def emptied(model: Path) -> None:
    for path in model.iterdir():
        path.unlink()


def without_a_weight(weights: dict[str, torch.Tensor]) -> None:
    del weights["model.layers.1.mlp.up_proj.weight"]


def with_nan(weights: dict[str, torch.Tensor]) -> None:
    weights["model.layers.1.mlp.up_proj.weight"].fill_(torch.nan)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (with_config(hidden_size=64), "lm_head.weight is [274, 48], which should be [274, 64]"),
        (with_config(vocab_size=999), "[274, 48], which should be [999, 48]"),
        (with_config(num_hidden_layers=5), "lack what its config.json describes: model.layers.3."),
        (with_config(num_hidden_layers=2), "more layers than its config.json, which says 2: model.layers.2."),
        (with_config(dtype="float99"), "float99"),
        (with_config(hidden_size="many"), "hidden_size"),
        (with_config(model_type="nothing"), "`nothing`"),
        (with_text("config.json", '{"model_type": '), "not a valid JSON file"),
        (with_text("generation_config.json", '{"eos'), "generation_config.json is not a valid JSON file"),
        (with_text("tokenizer.json", '{"a":'), "tokenizer.json is not a valid JSON file"),
        (
            with_text("video_preprocessor_config.json", "{"),
            "video_preprocessor_config.json is not a valid JSON file",
        ),
        (
            with_text("preprocessor_config.json", '{"size": "big"}'),
            "preprocessor_config.json cannot be used: Expected",
        ),
        (with_text("chat_template.jinja", "{% for x in %}"), "chat template is no Jinja: line 1"),
        (
            with_text("chat_template.jinja", "{{ nothing.here() }}"),
            "chat template fails: 'nothing' is undefined",
        ),
        (with_weights(without_a_weight), "describes: model.layers.1.mlp.up_proj.weight\n"),
        (with_weights(with_nan), "NaN or infinity"),
        (with_pickle, "is not loaded: it is cut short, or holds more than tensors"),
        (cut_short, "no whole safetensors file"),
        (without_tokenizer, "tokenizer"),
        (emptied, "holds no model"),
    ],
)
def test_a_broken_checkpoint_is_one_line(
    model: Path, spoil: Callable[[Path], None], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(model)
    assert words in error_of(capsys, str(model))


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (("--revision", "main"), 1, "only models on the Hugging Face hub have revisions"),
        (("--max-batch-total-tokens", "99999999999999"), 1, "GiB of memory"),
        (("--max-total-tokens", "513"), 1, "exceeds the model's 512"),
        (("--host", "no.such.host.invalid"), 1, "cannot listen on no.such.host.invalid"),
        (("--chat-template", "{{ x"), 1, "chat template is no Jinja"),
        (("--chat-template", "{{ x", "--api-workers", "1"), 1, "chat template is no Jinja"),
        (("--chat-template", "missing"), 2, "--chat-template: no chat template can be read from missing"),
        (("--num-threads", "100000"), 2, "--num-threads: 100000 threads are more than the"),
    ],
)
def test_a_wrong_option_is_one_line(
    whole: Path, options: tuple[str, ...], status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in error_of(capsys, str(whole), *options, status=status)


def as_pipe(place: Path) -> None:
    os.mkfifo(place)


def as_device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def as_endless_file(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(10**9)


FILES: Final = (
    *(("--chat-template", 2, "no chat template can be read from"), ("--api-keys-file", 2, "")),
    *(("--ssl-certfile", 1, "cannot read"), ("--audit-log", 1, "the audit log cannot be written")),
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (as_pipe, "a pipe"),
        (Path.mkdir, "directory"),
        (as_device, "it is a device"),
        (as_endless_file, "the file is longer than"),
    ],
)
@pytest.mark.parametrize(("option", "status", "what"), FILES, ids=[option for option, *_ in FILES])
def test_an_option_that_names_no_file_is_one_line(
    option: str,
    status: int,
    what: str,
    make: Callable[[Path], None],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if option == "--audit-log" and make in (as_device, as_endless_file):
        return  # which can be written
    place = tmp_path / "place"
    make(place)
    said = error_of(capsys, option, str(place), status=status)
    assert what in said and words in said.lower() and str(place) in said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes among files")
@pytest.mark.parametrize("name", ["chat_template.jinja", "model.safetensors", "tokenizer.json"])
def test_a_pipe_in_a_models_directory_is_one_line(
    model: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (model / name).unlink(missing_ok=True)
    os.mkfifo(model / name)
    assert f"{model / name} cannot be read: it is a pipe" in error_of(capsys, str(model))


@pytest.mark.skipif(sys.platform == "win32", reason="these are of POSIX")
@pytest.mark.parametrize(
    ("begin", "words"),
    [
        ('rmdir "$PWD"', "the working directory does not exist any more"),
        pytest.param(
            "export PYTHONOPTIMIZE=2", "Python was started without docstrings", marks=pytest.mark.long
        ),
        ("ulimit -n 24", "the limit of open files is 24 (ulimit -n)"),
    ],
)
def test_a_process_that_cannot_serve_says_why(tmp_path: Path, begin: str, words: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    command = f'{begin} && exec "{COMMAND}" serve --port 0'
    ended = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=100)
    assert ended.stderr.startswith(f"verbatim: error: {words}") and ended.stderr.count("\n") == 1
    assert ended.returncode == ExitStatus.FAILED


def test_a_folder_whose_name_is_too_long_for_a_socket_is_one_line(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deep = tmp_path / ("x" * 90)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    assert "TMPDIR" in error_of(capsys, str(whole), "--api-workers", "1")


def test_little_memory_is_one_line(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.attention.kv_cache.budget.free_bytes", lambda *_: 1000)
    assert "too little memory is free for a key-value cache" in error_of(capsys, str(whole))


def test_what_nobody_foresaw_is_one_line_with_its_type(
    whole: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("in\nsome library")

    monkeypatch.setattr("engine.assembly.paged_parts.observe_geometry", fail)
    assert error_of(capsys, str(whole)) == "ZeroDivisionError: in some library\n"


def test_a_template_that_refuses_a_lone_message_on_purpose_is_served(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_text("chat_template.jinja", "{{ raise_exception('a system message, please') }}")(model)
    # What comes after the templates fails.
    monkeypatch.setattr("handlers.serving.serve.start_listening", lambda *_: 1 / 0)
    assert error_of(capsys, str(model)) == "ZeroDivisionError: division by zero\n"


@pytest.mark.parametrize("arguments", [("settings",), pytest.param(("contracts",), marks=pytest.mark.long)])
def test_a_full_device_is_one_line(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=100
        )
    assert ended.stderr == "verbatim: error: cannot write to standard output: No space left on device\n"
    assert ended.returncode == ExitStatus.FAILED


def test_a_server_whose_output_is_full_does_not_start(whole: Path) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [COMMAND, "serve", str(whole), "--port", "0"],
            stdout=full, stderr=subprocess.PIPE, text=True, timeout=100,
        )  # fmt: skip
    assert ended.stderr == "verbatim: error: cannot write to standard output: No space left on device\n"
    assert ended.returncode == ExitStatus.FAILED
