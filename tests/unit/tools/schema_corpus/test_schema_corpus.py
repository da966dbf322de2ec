"""The trial of a corpus, on a handful of schemas."""

import base64
import json
import pickle
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from tests.unit.engine.grammar.grammar_cases import TOKENIZER
from tools.schema_corpus.__main__ import row
from tools.schema_corpus.contenders import Start, Verbatim, Xgrammar
from tools.schema_corpus.corpus import Case, benchmark_cases, named_schemas, stored_schemas, suite_cases
from tools.schema_corpus.kept_outcomes import KeptOutcomes
from tools.schema_corpus.layout import in_order
from tools.schema_corpus.tokenizer_files import VOCAB_SIZE, write_tokenizer
from tools.schema_corpus.trial import Outcome, Plan, TrialTokens, try_case

TOKENS = TrialTokens(TOKENIZER)

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
    outcome = try_case(Verbatim(TOKENIZER), case, TOKENS, Plan(num_texts=5, num_probes=10))
    assert not outcome.refusal
    assert outcome.valid == [True] * len(case.valid)
    assert outcome.invalid == [True] * len(case.invalid)
    for right in (outcome.texts, outcome.probes, outcome.needed):
        assert right
        assert all(right)
    assert not outcome.wrong


def test_what_a_library_lets_through_is_counted() -> None:
    outcome = try_case(Xgrammar(TOKENIZER), CASES[0], TOKENS, Plan(num_texts=0))
    assert (outcome.valid, outcome.invalid) == ([True], [False])
    assert outcome.wrong == ['["a", "a"]']


def test_where_a_valid_instance_is_not_accepted_is_kept() -> None:
    case = Case("order", {"type": "object", "properties": {"a": {}}}, "draft7", ({"a": 1, "b": 2}, {"a": 1}))
    outcome = try_case(Verbatim(TOKENIZER), case, TOKENS, Plan(num_texts=0))
    assert outcome.valid == [False, True]
    assert [text.startswith('{"a": 1,') for text in outcome.missed] == [True]


def test_a_refusal_has_its_reason() -> None:
    outcome = try_case(Verbatim(TOKENIZER), Case("x", {"type": "foo"}), TOKENS, Plan(num_texts=1))
    assert "type 'foo'" in outcome.refusal
    taken = Outcome(compile_s=0.002, mask_s=[0.001] * 99 + [0.1], valid=[True, False])
    assert row([outcome, taken]) == "50.0% of 2 | 50.0% of 2 | – | – | – | – | 2 / 2 / 2 ms | 1 / 1 ms"


def test_kept_outcomes_are_not_tried_again(tmp_path: Path) -> None:
    path, outcome = tmp_path / "outcomes.jsonl", Outcome(compile_s=0.5, valid=[True])
    assert KeptOutcomes(path, "corpus", "one").of(CASES[0], lambda: outcome) == outcome
    assert KeptOutcomes(path, "corpus", "one").of(CASES[0], Outcome) == outcome
    assert KeptOutcomes(path, "corpus", "other").of(CASES[0], Outcome) == Outcome()
    assert KeptOutcomes(None, "corpus", "one").of(CASES[0], Outcome) == Outcome()


class Other:
    """A library that compiles one schema whatever it is given."""

    name = "other"

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    def compile(self, schema: Any) -> Start:
        return Verbatim(TOKENIZER).compile(self._schema)


def test_a_text_that_is_not_valid_counts_as_wrong() -> None:
    case = Case("x", {"type": "string"}, "draft7")
    outcome = try_case(Other({"const": 1}), case, TOKENS, Plan(num_texts=2))
    assert (outcome.texts, outcome.wrong) == ([False, False], ["1", "1"])


def test_an_allowed_token_that_leads_to_no_valid_text_counts_as_wrong() -> None:
    case = Case("x", {"const": 12}, "draft7", (12,))
    outcome = try_case(Other({"enum": [12, 13, 14]}), case, TOKENS, Plan(num_texts=0, num_probes=20))
    assert len(outcome.probes) == 20
    assert outcome.probes.count(False) == len(outcome.wrong)
    assert {*outcome.wrong} == {"13", "14"}


def test_each_token_that_a_valid_rest_begins_with_is_needed() -> None:
    tokens = [TOKENS.texts[token_id] for token_id in TOKENS.beginning(b': "')]
    assert tokens == [b":", b": "]
    outcome = try_case(Other({"enum": ["a", 1]}), Case("x", True, "draft7", ("a",)), TOKENS, Plan(0))
    assert outcome.needed == [True] * 4  # of three bytes, and the end
    outcome = try_case(Other({"enum": [1]}), Case("x", True, "draft7", ("a",)), TOKENS, Plan(0))
    assert outcome.needed == [False]


def test_a_format_may_be_read_in_either_way() -> None:
    case = Case("x", {"oneOf": [{"const": "a"}, {"format": "date"}]}, "draft7")
    outcome = try_case(Other({"enum": ["a", "b"]}), case, TOKENS, Plan(num_texts=8))
    assert outcome.texts == [True] * 8


def test_instances_are_written_in_the_order_of_the_schema() -> None:
    schema = {
        "$defs": {"C": {"properties": {"x": {}, "y": {}}}},
        "properties": {"b": {"items": {"$ref": "#/$defs/C"}}, "a": {}},
        "allOf": [{"properties": {"c": {"$ref": "#/$defs/C"}}}],
    }
    value = {"z": 0, "a": 1, "c": {"y": 1, "x": 2}, "b": [{"y": 1, "x": 2}]}
    written = json.dumps(in_order(value, schema))
    assert written == '{"b": [{"x": 2, "y": 1}], "a": 1, "c": {"x": 2, "y": 1}, "z": 0}'


def test_a_schema_that_refers_to_itself_has_an_order() -> None:
    schema = {"anyOf": [{"$ref": "#"}, {"properties": {"b": {"$ref": "#"}, "a": {}}}]}
    assert json.dumps(in_order({"a": 1, "b": {"a": 1, "b": 2}}, schema)) == '{"b": {"b": 2, "a": 1}, "a": 1}'


def test_the_tokenizer_of_a_real_vocabulary_is_written(tmp_path: Path) -> None:
    texts = [*(bytes([byte]) for byte in range(256)), b"ab", b"abc"]
    ranks = b"\n".join(base64.b64encode(text) + f" {rank}".encode() for rank, text in enumerate(texts))
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        wheel.writestr("dashscope/resources/qwen.tiktoken", ranks)
    write_tokenizer(tmp_path / "a.whl", tmp_path / "out")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out", local_files_only=True)
    assert tokenizer.encode("abcab<|im_end|>") == [257, 256, tokenizer.eos_token_id]
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config == {"vocab_size": VOCAB_SIZE, "eos_token_id": tokenizer.eos_token_id}


def test_a_file_of_schemas_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"one": {"type": "null"}, "two": True}))
    assert [*named_schemas(tmp_path / "a.json")] == [Case("one", {"type": "null"}), Case("two", True)]


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
