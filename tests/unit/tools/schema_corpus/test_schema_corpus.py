"""The trial of a corpus, on a handful of schemas."""

import json
import pickle
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.unit.engine.grammar.grammar_cases import TOKENIZER
from tools.schema_corpus.__main__ import row
from tools.schema_corpus.contenders import Start, Verbatim, Xgrammar
from tools.schema_corpus.corpus import Case, benchmark_cases, stored_schemas, suite_cases
from tools.schema_corpus.trial import Outcome, try_case

CASES = [
    Case(
        "a set",
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "draft7",
        (["a", "b"],),
        (["a", "a"],),
    ),
    Case("a tuple", {"items": [{"type": "integer"}], "type": "array"}, "draft4", ([1],), (["a"],)),
    Case("a condition", {"type": "integer", "not": {"minimum": 3}}, "draft2020-12", (2,), (3, "a")),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verbatim_takes_the_valid_and_rejects_the_invalid(case: Case) -> None:
    outcome = try_case(Verbatim(TOKENIZER), case, TOKENIZER, num_texts=5)
    assert not outcome.refusal
    assert outcome.num_accepted == outcome.num_valid == len(case.valid)
    assert outcome.num_rejected == outcome.num_invalid == len(case.invalid)
    assert 0 < outcome.num_texts == outcome.num_good
    assert not outcome.wrong


def test_what_a_library_lets_through_is_counted() -> None:
    outcome = try_case(Xgrammar(TOKENIZER), CASES[0], TOKENIZER, num_texts=0)
    assert (outcome.num_accepted, outcome.num_rejected) == (1, 0)
    assert outcome.wrong == ['["a", "a"]']


def test_where_a_valid_instance_is_not_accepted_is_kept() -> None:
    case = Case("order", {"type": "object", "properties": {"a": {}}}, "draft7", ({"a": 1, "b": 2}, {"a": 1}))
    outcome = try_case(Verbatim(TOKENIZER), case, TOKENIZER, num_texts=0)
    assert outcome.num_accepted == 1
    assert [text.startswith('{"a": 1,') for text in outcome.missed] == [True]


def test_a_refusal_has_its_reason() -> None:
    outcome = try_case(Verbatim(TOKENIZER), Case("x", {"type": "foo"}), TOKENIZER, num_texts=1)
    assert "type 'foo'" in outcome.refusal
    assert row([outcome, Outcome(compile_s=0.002, num_valid=2, num_accepted=1)]) == (
        "50.0% of 2 | 50.0% of 2 | – | – | 2 / 2 / 2 ms"
    )


def test_a_text_that_is_not_valid_counts_as_wrong() -> None:
    class Loose:
        name = "loose"

        def compile(self, schema: Any) -> Start:
            return Verbatim(TOKENIZER).compile({"const": 1})

    outcome = try_case(Loose(), Case("x", {"type": "string"}, "draft7"), TOKENIZER, num_texts=2)
    assert (outcome.num_texts, outcome.num_good, outcome.wrong) == (2, 0, ["1", "1"])


def test_the_suite_is_read(tmp_path: Path) -> None:
    (tmp_path / "draft7").mkdir()
    tests = [{"data": 1, "valid": True}, {"data": "a", "valid": False}]
    group = {"description": "D", "schema": {"type": "integer"}, "tests": tests}
    (tmp_path / "draft7" / "type.json").write_text(json.dumps([group]))
    assert [*suite_cases(tmp_path, "draft7")] == [
        Case("type: D", {"type": "integer"}, "draft7", (1,), ("a",))
    ]


def test_the_draw_from_the_benchmark_depends_on_its_seed_alone(tmp_path: Path) -> None:
    for number in range(20):
        tests = [{"data": number, "valid": True}, {"data": "a", "valid": False}]
        case = {"schema": {"const": number}, "tests": tests}
        (tmp_path / f"{number:02}.json").write_text(json.dumps(case))
    drawn = [*benchmark_cases(tmp_path, 5, seed=1)]
    assert [*benchmark_cases(tmp_path, 5, seed=1)] == drawn
    assert {case.name for case in drawn} != {case.name for case in benchmark_cases(tmp_path, 5, seed=2)}
    assert all(case.valid == (int(case.name),) and case.invalid == ("a",) for case in drawn)
    assert len(drawn) == 5
    assert len([*benchmark_cases(tmp_path, 99, seed=1)]) == 20


def test_stored_schemas_are_read_without_running_anything(tmp_path: Path) -> None:
    bodies = [{"type": "integer"}, {"schemas": []}, {"name": "no schema"}, {"type": "string", "x": "a" * 999}]
    with sqlite3.connect(tmp_path / "cache") as connection:
        connection.execute("CREATE TABLE responses (key TEXT, value BLOB)")
        for number, body in enumerate(bodies):
            stored = pickle.dumps({"_content": json.dumps(body).encode(), "url": "{"})
            connection.execute("INSERT INTO responses VALUES (?, ?)", (str(number), stored))
    assert [*stored_schemas(tmp_path / "cache", 500)] == [Case("0", {"type": "integer"})]
