"""The command: what it prints, and how it ends."""

import socket
import subprocess
import sys
import tomllib
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import pytest

from handlers.cli import main
from handlers.composition import CONTRACTS
from tests.conftest import COMMAND


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=100)


def test_version_is_the_distributions(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"verbatim {version('verbatim-server')}\n"


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


def test_help_imports_nothing_that_serves() -> None:
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from handlers.cli import main; main(['--help'])"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    imported = {line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()}
    assert "usage: verbatim" in shown.stdout and "handlers.cli" in imported
    assert not imported & {"aiohttp", "fastapi", "llguidance", "numpy", "torch", "transformers", "xgrammar"}


@pytest.mark.long
def test_a_server_imports_no_library_that_few_of_its_requests_need() -> None:
    imports = """
import sys, handlers.serving.serve, engine.async_engine
print(*sys.modules)
"""
    shown = subprocess.run([sys.executable, "-c", imports], capture_output=True, text=True, timeout=100)
    imported = set(shown.stdout.split())
    assert {"handlers.composition", "torch"} <= imported, shown.stderr
    assert not imported & {"aiohttp", "opentelemetry.sdk", "yarl"}


_WITHOUT_LIBRARIES = """
import sys
sys.modules["torch"] = sys.modules["transformers"] = None  # an import of them fails
from handlers.cli import main
for arguments in {commands!r}:
    print(main(arguments), flush=True)
"""


def test_what_needs_no_model_is_answered_without_torch(tmp_path: Path) -> None:
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        commands = [
            ["serve", str(missing), "--port", "0"],
            ["serve", str(empty), "--port", "0"],
            ["serve", "--revision", "main", "--port", "0"],
            ["serve", "--root", "nothing", "--port", "0"],
            ["serve", "--api-keys-file", str(missing), "--port", "0"],
            ["serve", "--ssl-certfile", str(missing), "--port", "0"],
            ["serve", "--port", port],
            ["contracts"],
        ]
        ended = subprocess.run(
            [sys.executable, "-c", _WITHOUT_LIBRARIES.format(commands=commands)],
            capture_output=True, text=True, timeout=100,
        )  # fmt: skip
    statuses = [line for line in ended.stdout.splitlines() if line.isdecimal()]
    assert statuses == ["1", "1", "1", "2", "2", "1", "1", "0"], ended.stderr
    errors = [line.removeprefix("verbatim: error: ") for line in ended.stderr.splitlines()]
    assert len(errors) == 7
    assert errors[0] == f"no such directory: {missing}"
    assert errors[1] == f"{empty} holds no model: there is no config.json in it"
    assert "only models on the Hugging Face hub have revisions" in errors[2]
    assert errors[3].startswith("there is no contract 'nothing'")
    assert errors[4] == f"{missing}: No such file or directory"
    assert str(missing) in errors[5]
    assert errors[6] == f"cannot listen on 127.0.0.1 port {port}: Address already in use"


def test_a_port_in_use_is_one_line_and_a_failure_before_any_model_loads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 1
    assert capsys.readouterr().err == (
        f"verbatim: error: cannot listen on 127.0.0.1 port {port}: Address already in use\n"
    )


def test_a_new_key_goes_to_one_stream_and_its_table_to_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--contracts", "openai,tgi", "--requests-per-minute", "5", "--expires", "2030-01-31T00:00:00Z"]
    assert main(["keys", "new", "ci", *options]) == 0
    shown = capsys.readouterr()
    key = shown.err.split()[-1]
    (entry,) = tomllib.loads(shown.out)["key"]
    assert entry["sha256"] == sha256(key.encode()).hexdigest()
    assert (entry["name"], entry["contracts"], entry["requests_per_minute"]) == ("ci", ["openai", "tgi"], 5)
    assert key not in shown.out


def test_a_key_that_the_file_could_not_name_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "new", "two words"]) == 2
    assert capsys.readouterr().err.startswith("verbatim: error: ")


def test_a_file_of_keys_that_is_not_there_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--port", "0", "--api-keys-file", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err == f"verbatim: error: {tmp_path}/none: No such file or directory\n"


def test_an_audit_log_that_cannot_be_written_stops_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--port", "0", "--audit-log", str(tmp_path)]) == 1
    assert "the audit log cannot be written" in capsys.readouterr().err
