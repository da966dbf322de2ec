"""Tests how `verbatim` finds its further commands."""

import socket
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from handlers import cli
from handlers.app import CONTRACTS

PROJECT = tomllib.loads((Path(__file__).parents[4] / "pyproject.toml").read_text())["project"]


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points as pyproject.toml has them, whatever was installed."""
    found = [
        EntryPoint(name, value, "verbatim.commands")
        for name, value in PROJECT["entry-points"]["verbatim.commands"].items()
    ]
    monkeypatch.setattr(cli, "entry_points", lambda group: found)


@pytest.mark.usefixtures("declared")
def test_conform_is_a_command_of_verbatim(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["conform", "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert all(contract in told for contract in CONTRACTS)


@pytest.mark.usefixtures("declared")
def test_a_missing_package_is_told_with_the_extra_that_has_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "handlers.conform.command", None)
    monkeypatch.setattr("handlers.conform.cli._NEEDED", ("handlers.conform.command",))
    assert cli.main(["conform", "--contract", "openai", "--base-url", "http://127.0.0.1:9"]) == 2
    assert "pip install 'verbatim-server[conform]'" in capsys.readouterr().err


@pytest.mark.usefixtures("declared")
@pytest.mark.parametrize("options", [["--contract", "openai"], ["--profile", "agents"]])
@pytest.mark.parametrize("model", [[], ["--model", "any"]])
def test_a_server_that_does_not_answer_is_not_one_with_faults(
    options: list[str], model: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # without listening, so that connections are refused
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        assert cli.main(["conform", *options, *model, "--base-url", url]) == 2
    shown = capsys.readouterr()
    assert f"{url} does not answer" in shown.err and "fault" not in shown.out
