"""Tests how `verbatim` finds its further commands."""

import socket
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typing_extensions import override

from handlers import cli
from handlers.commands import verbatim
from handlers.composition import CONTRACTS

PROJECT = tomllib.loads((Path(__file__).parents[5] / "pyproject.toml").read_text())["project"]


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points as pyproject.toml has them, whatever was installed."""
    found = [
        EntryPoint(name, value, "verbatim.commands")
        for name, value in PROJECT["entry-points"]["verbatim.commands"].items()
    ]
    monkeypatch.setattr(verbatim, "entry_points", lambda group: found)


@pytest.mark.usefixtures("declared")
def test_conform_is_a_command_of_verbatim(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["conform", "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert all(contract in told for contract in CONTRACTS)


@pytest.mark.usefixtures("declared")
def test_a_missing_package_is_reported_with_the_extra_that_has_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "verbatim_kit.conform.command", None)
    monkeypatch.setattr(
        "handlers.commands.conform.cli._OPTIONAL_DEPENDENCIES", ("verbatim_kit.conform.command",)
    )
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


@pytest.mark.usefixtures("declared")
def test_no_report_has_the_password_of_a_url(capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str | None] = []

    class Refusing(BaseHTTPRequestHandler):
        """A server that has nothing, and notes who asks."""

        def do_GET(self) -> None:
            asked.append(self.headers["Authorization"])
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        @override
        def log_message(self, *arguments: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://me:ses%40me@127.0.0.1:{server.server_port}"
        assert cli.main(["conform", "--contract", "openai", "--base-url", url]) == 2
        server.shutdown()
    shown = capsys.readouterr()
    assert f"http://127.0.0.1:{server.server_port} does not list any model" in shown.err
    assert "ses%40me" not in shown.out + shown.err
    assert set(asked) == {"Basic bWU6c2VzQG1l"}
