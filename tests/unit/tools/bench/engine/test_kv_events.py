"""The bench of KV events measures two engines, and only the one that publishes spends time on events."""

import json
import sys

import pytest

from tools.bench.__main__ import main


def test_only_the_engine_that_publishes_spends_time_on_events(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--sequences", "2", "--tokens", "20", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["bench", "kv-events", *options])
    main()
    plain, publishing = json.loads(capsys.readouterr().out.strip().splitlines()[-1])["rows"]
    assert plain["events_us"] == plain["share"] == 0
    assert 0 < publishing["events_us"] < publishing["step_us"] <= publishing["all_us"]
