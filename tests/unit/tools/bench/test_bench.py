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


def test_attention_is_measured_in_torch_and_compiled_by_turns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--decode", "2x20", "--chunks", "5", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["bench", "attention", *options])
    main()
    rows = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["rows"]
    assert [(row["step"], row["dtype"]) for row in rows] == [
        (step, dtype) for dtype in ("bfloat16", "float32") for step in ("decode 2 x 20", "chunk of 5")
    ]
    assert all(row["torch"] > 0 and row["compiled"] > 0 for row in rows)
