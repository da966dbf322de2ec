"""The cost of grammars: a row for each number of requests and each temperature."""

import json
import sys

import pytest

from tools.bench.__main__ import main


def test_steps_with_grammars_are_compared_with_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--small", "--requests", "2", "5", "--temperatures", "1", "--steps", "3"]
    monkeypatch.setattr(sys, "argv", ["bench", "grammars", *options])
    main()
    rows = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["rows"]
    assert [(row["requests"], row["temperature"]) for row in rows] == [("2", "1.0"), ("5", "1.0")]
    names = ("a step with grammars", "without", "ratio", "ratio of a token")
    assert all(row[name] > 0 for row in rows for name in names)
