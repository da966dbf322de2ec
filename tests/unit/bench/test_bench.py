"""The benchmark runs both contenders on the same prompts and prints what it measured."""

import json
import sys

import pytest

from tools.bench.__main__ import main


def test_the_benchmark_prints_a_line_and_a_json_row_for_each_contender(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "speed", "--small", "--rounds", "1", "--requests", "1", "3"])
    main()
    *table, last = capsys.readouterr().out.strip().splitlines()
    rows = json.loads(last)["rows"]
    assert [(row["requests"], row["contender"]) for row in rows] == [
        (requests, contender) for requests in (1, 3) for contender in ("verbatim", "transformers")
    ]
    assert all(row["overall"] > 0 for row in rows)
    assert [line.split()[:2] for line in table[-4:]] == [
        [str(row["requests"]), row["contender"]] for row in rows
    ]
