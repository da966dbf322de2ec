"""The folder of the engine's socket: checked before a load, private, and removed even after a kill."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handlers.serving.api_workers.socket_folder import check_socket_folder, engine_socket
from handlers.serving.listener import CannotListen

KILLED = """
import os, signal
from handlers.serving.api_workers.socket_folder import engine_socket
with engine_socket():
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the folder of temporary files, whose path is short: pytest's own may be too long for a socket."""
    with tempfile.TemporaryDirectory(prefix="v") as directory:
        monkeypatch.setattr(tempfile, "tempdir", directory)
        yield Path(directory)


def test_the_folder_is_private_and_goes_with_the_socket(place: Path) -> None:
    with engine_socket() as listener:
        path = Path(listener.getsockname())
        assert path.parent.parent == place
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        check_socket_folder()  # of another server: it leaves this one alone
        assert path.exists()
    assert not list(place.iterdir())


def test_a_path_that_is_too_long_is_refused_before_the_load(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = place / ("x" * 90)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(CannotListen, match="too long.*TMPDIR"):
        check_socket_folder()
    assert not list(deep.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(place / "none"))
    with pytest.raises(CannotListen, match="cannot create a folder for the engine's socket"):
        check_socket_folder()


def test_the_folder_of_a_killed_server_is_removed_at_the_next_start_and_no_other(place: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(place)}, check=False)
    (left,) = place.iterdir()
    assert (left / "engine.sock").exists()
    other = place / "verbatim-other"
    other.mkdir()
    target = place / "target"
    target.mkdir()
    link = place / "verbatim-engine-link"
    link.symlink_to(target)
    check_socket_folder()
    assert {*place.iterdir()} == {other, target, link}
