"""Tests how the comparison evaluates steps and streams, and that it measures contenders by turns."""

import json
import sys
from argparse import Namespace
from pathlib import Path
from typing import NamedTuple

import pytest

from tools.bench.__main__ import main
from tools.bench.comparison.contender import KINDS, Command, Failed, chosen, python_of, start
from tools.bench.comparison.engine_level import decode_speed
from tools.bench.comparison.http_level import text_arrivals
from tools.bench.comparison.rounds import by_turns, compare
from tools.bench.http.connection import Answer
from tools.bench.machine import describe

ROOT = Path(__file__).parents[5]


def test_a_decode_step_is_timed_between_two_that_give_every_request_a_token() -> None:
    mixed = [(1.0, 3), (1.5, 4), (2.0, 4), (2.2, 4), (2.5, 1)]
    assert decode_speed(mixed, 4) == pytest.approx(4 / 0.35)
    assert decode_speed([(1.0, 4)], 4) == 0.0


def answer(*arrivals: tuple[float, bytes], status: int = 200) -> Answer:
    told = Answer()
    told.received += b"HTTP/1.1 %d OK\r\n\r\n" % status + b"".join(data for _, data in arrivals)
    told.arrivals = list(arrivals)
    return told


def piece(text: str) -> bytes:
    return b'data: {"delta":%b}\n\n' % json.dumps({"content": text}).encode()


def test_a_ratio_is_taken_within_a_round() -> None:
    slow_machine, fast_machine = 1.0, 1.5
    ours = [2.0 * slow_machine, 2.0 * fast_machine, 2.0 * slow_machine]
    theirs = [1.0 * slow_machine, 1.0 * fast_machine, 1.0 * fast_machine]
    assert compare(ours, theirs) == (2.0, 4 / 3, 2.0)
    assert compare(ours, [1.0, 0.0, 1.0]).median == compare([], theirs).median == 0.0


def test_what_is_measured_may_keep_its_modules_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import os, sys; print(sys.dont_write_bytecode, os.environ['MORE'], 'PATH' in os.environ)"
    turns = start(Command([sys.executable, "-c", code], {"MORE": "more"}), tmp_path / "log")
    try:
        assert turns.process.wait(60) == 0
    finally:
        turns.end()
    assert (tmp_path / "log").read_text() == "False more True\n"


class Recorded(NamedTuple):
    name: str


def test_rounds_have_all_cases_and_every_other_one_turns_the_order_around() -> None:
    asked: list[tuple[int, str, str]] = []

    def measure(who: Recorded, case: str, number: int) -> str:
        asked.append((number, case, who.name))
        return f"{who.name}{number}"

    told = by_turns([Recorded("ours"), Recorded("theirs")], ["one", "many"], 2, measure, warm_up=["many"])
    assert [asked.pop(0), asked.pop(0)] == [(2, "many", "ours"), (2, "many", "theirs")]
    assert told == dict.fromkeys(
        ("one", "many"), {"ours": ["ours0", "ours1"], "theirs": ["theirs0", "theirs1"]}
    )
    assert [(case, name) for number, case, name in asked if number == 0] == [
        ("one", "ours"),
        ("one", "theirs"),
        ("many", "ours"),
        ("many", "theirs"),
    ]
    assert [name for number, _, name in asked if number == 1] == ["theirs", "ours"] * 2


def test_text_arrives_when_it_is_neither_empty_nor_the_prompt() -> None:
    role = b'data: {"delta":{"role":"assistant","content":""}}\n\n'
    told = answer((0.5, role + piece("prompt")), (1.0, piece("a")), (2.0, piece("b") + piece("c")))
    assert text_arrivals(told, "prompt", 4) == [1.0, 2.0]


@pytest.mark.parametrize("told", [answer((1.0, piece("a"))), answer((1.0, piece("a") * 4), status=503)])
def test_an_answer_that_lacks_tokens_or_refuses_is_no_measurement(told: Answer) -> None:
    with pytest.raises(Failed):
        text_arrivals(told, "prompt", 4)


def test_a_peer_that_is_not_installed_has_no_python(tmp_path: Path) -> None:
    given = dict.fromkeys(KINDS, tmp_path)
    assert [python_of(name, kind, given) for name, kind in KINDS.items()] == [None] * len(KINDS)
    assert python_of("verbatim", KINDS["verbatim"], {}) is not None


def test_another_tree_is_measured_next_to_each_of_our_own_engines(tmp_path: Path) -> None:
    kinds = chosen(Namespace(only=["verbatim", "verbatim int8", "vllm"], before=tmp_path))
    assert [*kinds] == ["verbatim", "verbatim before", "verbatim int8", "verbatim int8 before", "vllm"]
    before = kinds["verbatim int8 before"]
    assert (before.tree, before.beside) == (tmp_path, "verbatim int8")
    assert before.environment == {"VERBATIM_QUANTIZE": "int8"}
    assert kinds["verbatim"].tree != tmp_path


def test_the_machine_is_described() -> None:
    machine = describe()
    assert machine["cores"] >= 1 and machine["memory_gib"] > 0 and "torch" in machine["versions"]


@pytest.mark.long
def test_two_trees_are_measured_by_their_drivers_and_the_report_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--small", "--only", "verbatim", "--before", str(ROOT), "--level", "engine", "--rounds", "1"]
    options += ["--requests", "2", "--prompts", "16", "--logs", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["bench", "compare", *options, "--json", str(tmp_path / "report.json")])
    main()
    report = json.loads((tmp_path / "report.json").read_text())
    assert [(row["what"], row["contender"]) for row in report["engine"]] == [
        (what, name) for what in ("decode", "prefill") for name in ("verbatim", "verbatim before")
    ]
    assert all(row["tokens_per_s"] > 0 and row["first_token_ms"] > 0 for row in report["engine"])
    assert [row["ratio"] == 1 for row in report["engine"]] == [True, False] * 2
    assert report["machine"]["versions"] and report["floor"][0]["tokens_per_s"] > 0
    table = capsys.readouterr().out.splitlines()
    assert [line for line in table if line.startswith("| decode ") and "| verbatim before |" in line]
