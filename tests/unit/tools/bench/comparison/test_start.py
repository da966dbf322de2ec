"""The benchmark of starts measures each server in each round, from the start to the first answer."""

import json
import sys
from pathlib import Path

import pytest

from engine.demo_model import DEMO_MODEL
from tools.bench.__main__ import main


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="Linux says how much memory a process has")
def test_starts_are_timed_and_memory_is_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--model", str(DEMO_MODEL), "--only", "verbatim", "--rounds", "1", "--wait", "0"]
    monkeypatch.setattr(sys, "argv", ["bench", "start", *options, "--logs", str(tmp_path)])
    main()
    [row] = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["rows"]
    assert row["server"] == "verbatim" and row["ratio"] == 1
    assert 0 < row["least"] <= row["seconds"] <= row["most"]
    assert 50 < row["memory_mb"] <= row["peak_mb"] < 10_000, row
