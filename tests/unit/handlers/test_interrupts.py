"""A command that is ended by a signal ends at once and in silence, whatever it is about to import."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Sends itself a signal when a module is about to be imported, and then runs a command.
_PROGRAM = """
import importlib, os, signal, sys

class Sender:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.Signals[sys.argv[2]])
        return None

sys.meta_path.insert(0, Sender())
sys.exit(importlib.import_module(sys.argv[3]).main(sys.argv[4:]))
"""
_SERVE = ("handlers.cli", "serve", "--port", "0")
_LAUNCH = ("handlers.text_generation_launcher", "--port", "0")
_STATUSES = {"SIGINT": 130, "SIGTERM": 143}


def interrupted(module: str, sent: str, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, module, sent, *command], capture_output=True, text=True, timeout=100
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.by_turns("sent", "module")
@pytest.mark.parametrize("sent", _STATUSES)
@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("argparse", _SERVE),
        ("torch", _SERVE),  # with both signals, as the second one
        pytest.param("pydantic_settings", _SERVE, marks=pytest.mark.long),
        pytest.param("handlers.commands.settings", _SERVE, marks=pytest.mark.long),
        pytest.param("handlers.commands.conform.cli", _SERVE, marks=pytest.mark.long),
        pytest.param("fastapi", _SERVE, marks=pytest.mark.long),
        pytest.param("uvicorn", _SERVE, marks=pytest.mark.long),
        pytest.param("torch.nn", _SERVE, marks=pytest.mark.long),
        pytest.param("transformers", _SERVE, marks=pytest.mark.long),
        ("pydantic", _LAUNCH),
        pytest.param("uvicorn", _LAUNCH, marks=pytest.mark.long),
        pytest.param("pydantic", ("handlers.cli", "keys", "new", "a"), marks=pytest.mark.long),
        pytest.param("torch", ("handlers.cli", "check"), marks=pytest.mark.long),
        ("handlers.composition", ("handlers.cli", "contracts")),
    ],
    ids=lambda value: value if isinstance(value, str) else value[1],
)
def test_a_signal_at_an_import_ends_the_command_in_silence(
    module: str, command: tuple[str, ...], sent: str
) -> None:
    ended = interrupted(module, sent, *command)
    assert (ended.returncode, ended.stderr) == (_STATUSES[sent], "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_a_second_interrupt_while_python_ends_is_silent_too() -> None:
    again = (
        f"import atexit, os, signal\natexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\n{_PROGRAM}"
    )
    command = [sys.executable, "-c", again, "handlers.composition", "SIGINT", "handlers.cli", "contracts"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (ended.returncode, ended.stderr) == (-signal.SIGINT, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_an_interrupt_that_a_script_has_its_command_ignore_is_ignored() -> None:
    """`nohup` ignores it, and so does a shell without job control for what runs in the background."""
    ignoring = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{_PROGRAM}"
    command = [sys.executable, "-c", ignoring, "pydantic_settings", "SIGINT", "handlers.cli", "contracts"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0
    assert "/v1/chat/completions" in ended.stdout


def test_an_error_of_an_import_is_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "pydantic_settings.py").write_text("raise ZeroDivisionError('a fault')")
    path = f"import sys; sys.path.insert(0, {str(tmp_path)!r})"
    program = f"{path}\nfrom handlers.cli import main\nmain(['contracts'])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert ended.returncode == 1
    assert "ZeroDivisionError: a fault" in ended.stderr


def test_the_handlers_of_signals_are_put_back() -> None:
    from handlers.process.end_by_signal import ended_by

    before = signal.getsignal(signal.SIGINT)
    with ended_by(signal.SIGINT):
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before
