"""The benchmark of the choice among several servers: what it simulates, and what it prints."""

import json
import sys

import pytest

from tools.bench.__main__ import main
from tools.bench.fleet.curve import Curve
from tools.bench.fleet.simulation import Clock, SimulatedServer


def test_a_step_takes_what_was_measured_and_between_the_points_what_a_line_says() -> None:
    curve = Curve("", 0.001, ((1, 10.0), (8, 17.0), (32, 65.0)))
    assert [curve.step_s(size) for size in (1, 4, 8, 9, 32, 33)] == [10, 13, 17, 19, 65, 67]


def test_tokens_that_have_come_are_outstanding_no_longer_if_only_the_rest_counts() -> None:
    clock = Clock()
    rest, whole = (SimulatedServer(0, clock, counts_left=each) for each in (True, False))
    found = []
    for time in (1.0, 2.0, 4.0, 6.0):
        clock.now = time
        for server in (rest, whole):
            if time == 1.0:
                server.begin(100)
            if time == 2.0:
                server.decode(10.0)
            if time == 6.0:
                server.end(100, 10.0, 2.0)
        found.append((rest.num_outstanding, whole.num_outstanding))
    assert found == [(100, 100), (100, 100), (80, 100), (0, 0)]


def test_the_benchmark_prints_a_row_for_each_fleet_and_the_cost_of_a_decision(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--servers", "2", "3", "--policies", "load", "prefix", "--busy", "2", "--turns", "2"]
    monkeypatch.setattr(sys, "argv", ["bench", "routing", *options, "--curve", "gpu"])
    main()
    lines = capsys.readouterr().out.strip().splitlines()
    assert "assumed, not measured" in lines[1]
    rows = json.loads(lines[-1])["rows"]
    assert [(row["policy"], row["servers"]) for row in rows[:4]] == [
        (policy, servers) for servers in (2, 3) for policy in ("load", "prefix")
    ]
    assert all(row["imbalance"] >= 1 and row["turn_s"] > 0 for row in rows[:4])
    assert all(row["by_both_us"] > row["by_load_us"] > 0 for row in rows[4:])
