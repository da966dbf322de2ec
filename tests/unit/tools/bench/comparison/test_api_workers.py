"""The benchmark of API workers measures each server in each round, and prints medians and ratios."""

import json
import sys

import pytest

from tools.bench.__main__ import main
from tools.bench.comparison.api_workers import Figures


@pytest.mark.long
def test_servers_are_measured_by_turns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--api-workers", "0", "1", "--clients", "4", "--tokens", "40", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["bench", "api-workers", *options])
    main()
    *_, ratio, last = capsys.readouterr().out.strip().splitlines()
    rows = json.loads(last)["rows"]
    assert [row["API"] for row in rows] == ["no workers", "1 process"]
    # Half of the gaps are none where a busy machine receives several events at once.
    measured = [name for name in Figures._fields if name not in ("others_us", "gap_ms", "many_gap_ms")]
    assert all(row[name] > 0 for row in rows for name in measured)
    assert [row["others_us"] > 0 for row in rows] == [False, True]
    assert ratio.startswith("tokens a second, 1 process over no workers: ")
