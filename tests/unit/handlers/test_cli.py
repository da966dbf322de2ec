"""The command: what it prints, and how it ends."""

import socket
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from handlers.app import CONTRACTS
from handlers.cli import main
from tests.conftest import COMMAND


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=100)


def test_version_is_the_distributions(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"verbatim {version('verbatim')}\n"


def test_contracts_lists_every_operation_at_the_root_and_under_the_prefix(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["contracts", "--root", "openai,tgi"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["POST", "/generate", "tgi.generate"] in lines
    assert ["POST", "/tgi/generate", "tgi.generate"] in lines
    assert ["POST", "/v1/chat/completions", "openai.createChatCompletion"] in lines
    assert ["POST", "/tgi/v1/chat/completions", "tgi.chat_completions"] in lines
    places = [(method, path) for method, path, _ in lines]
    assert len(places) == len(set(places)), "one operation answers a path's method"


def test_settings_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings"]) == 0
    assert "| `--port` | `VERBATIM_PORT`, `PORT` | `8080` |" in capsys.readouterr().out


def test_a_wrong_setting_is_one_line_and_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", "many"]) == 2
    assert capsys.readouterr().err.startswith("verbatim: error: --port: Input should be a valid integer")


def test_an_unknown_contract_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["contracts", "--root", "tgi,nothing"]) == 2
    assert f"'nothing'; there are: {', '.join(sorted(CONTRACTS))}" in capsys.readouterr().err


def test_a_missing_model_is_one_line_and_a_failure(tmp_path: Path) -> None:
    ended = run("serve", str(tmp_path / "missing"), "--port", "0")
    assert ended.returncode == 1
    assert ended.stderr.startswith("verbatim: error: ") and "missing" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_port_in_use_is_one_line_and_a_failure_before_any_model_loads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 1
    assert capsys.readouterr().err == (
        f"verbatim: error: cannot listen on 127.0.0.1 port {port}: Address already in use\n"
    )
