"""The profile of a step: parts that do not overlap, for each number of requests and each prompt."""

import json
import sys

import pytest

from tools.bench.__main__ import main


def test_each_step_of_each_variant_is_profiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--small", "--requests", "2", "--prompts", "16", "--variants", "default", "int8"]
    monkeypatch.setattr(sys, "argv", ["bench", "profile", *options])
    main()
    rows = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["rows"]
    assert [(row["step"], row["variant"]) for row in rows] == [
        (step, variant) for step in ("decode 2", "prompt of 16") for variant in ("default", "int8")
    ]
    assert all(0 < row["linears"] < row["total"] and 0 < row["head"] < row["total"] for row in rows)
