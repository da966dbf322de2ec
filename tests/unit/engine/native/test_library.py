"""The first start without compiled code says what it waits for."""

import ctypes
import logging
from pathlib import Path

import pytest

from engine.native import library
from engine.native.compiler import Target


def test_a_compilation_is_announced_and_its_end_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = tmp_path / "native.so"

    def build(target: Target, directory: Path) -> Path:
        assert "once for this user, about a minute on a free core" in caplog.text
        assert target.label in caplog.text and directory == tmp_path
        return made

    monkeypatch.setenv(library.VARIABLE, str(tmp_path))
    monkeypatch.setattr(library, "build", build)
    monkeypatch.setattr(ctypes, "CDLL", lambda path: path)
    with caplog.at_level(logging.INFO, logger=library.__name__):
        assert str(library._compile()) == str(made)
    assert f"later starts load {made}" in caplog.text
