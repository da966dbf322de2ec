"""The texts of errors are in the words of the contract: no inner parser speaks, no inner name is shown."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest

from handlers.composition import TABLES
from tests.contract.requests.boundaries import answered
from verbatim_kit.conform.bounds.boundaries import Verdict

# Words of pydantic, xgrammar, llguidance, Jinja, msgspec, orjson, jsonschema-rs, tokenizers and Python's own
# exceptions.
# Where JSON is broken off, the released TGI says so by line and column as well, so these stay.
INNER_WORDS: Final = re.compile(
    r"""
    pydantic | xgrammar | llguidance | jinja | msgspec | orjson | serde | jsonschema_rs | tokenizers
    | starlette | uvicorn
    | Input\ should | Extra\ inputs | input_value | input_type | Field\ required | union_tag
    | TextInputSequence | Traceback | <class | object\ at\ 0x | NoneType
    | \b[a-z]+[A-Z]\w*Error\b | \b(?:Value|Type|Key|Runtime|Index|Attribute|Recursion|Template\w*)Error\b
    | \bException\b | \w\.(?:py|cc|cpp|rs|h):\d+ | \[\d\d:\d\d:\d\d\]
    | \b(?:dict|NoneType|bool)\ (?:type|object) | \bhandlers\. | \bengine\. | generated\.
    | Check\ failed | Undefined | __\w+__
    | at\ (?:least|most)\ 0\ items
    """,
    re.VERBOSE,
)

# Places of grammars, schemas, templates, and texts that inner parsers read.
FORMS: Final[tuple[dict[str, Any], ...]] = (
    {"guided_regex": "(a"},
    {"guided_regex": "[z-a]"},
    {"guided_regex": "a{3,1}"},
    {"guided_regex": "(?<=a)b"},
    {"guided_grammar": "root ::= "},
    {"guided_grammar": "root ::= other"},
    {"guided_grammar": 'root ::= "a'},
    {"guided_grammar": "x"},
    {"guided_json": "{"},
    {"guided_json": "no JSON"},
    {"guided_json": {"type": "nothing"}},
    {"guided_json": {"$ref": "#/nowhere"}},
    {"guided_json": {"type": "string", "pattern": "("}},
    {"guided_json": {"type": "object", "properties": 5}},
    {"guided_json": {"type": "integer", "minimum": "a"}},
    {"structured_outputs": {"structural_tag": "{"}},
    {"structured_outputs": {"structural_tag": "{}"}},
    {"structured_outputs": {"structural_tag": '{"type": "structural_tag", "format": {"type": "x"}}'}},
    {"structured_outputs": {"structural_tag": '{"type": "structural_tag", "format": {"type": "tag"}}'}},
    {"response_format": {"type": "json_object", "schema": {"type": 3}}},
    {"prompt": "a\ud800"},
    {"stop": ["a\ud800"]},
    {"bad_words": ["a\ud800"]},
    {"suffix": "a"},
    {"logit_bias": {"a": 1}},
    {"logit_bias": {"-1": 1}},
    {"seed": 1e300},
    {"seed": 10**400},
    {"max_tokens": 1.5},
    {"max_tokens": "1"},
)
RAW: Final = (
    *(b"", b"{", b'{"a":}', b"[1,]", b"\xff", b'"\xff"', b"nul", b'{"a":1}{', b"[" * 5000),
    *(b"NaN", b'{"a": NaN}', b'{"a": 1e999}', b'"\\ud800"', b'{"model": "\\ud800"}', b"[]", b"null"),
)


def inner_words(text: str) -> str | None:
    found = INNER_WORDS.search(text)
    return found and f"{found.group()!r} in {text[:400]}"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("contract", TABLES)
def test_what_a_bad_value_is_told_is_in_the_contracts_words(server_url: str, contract: str) -> None:
    answers = [
        answer for row, answer in answered(server_url, contract) if row.verdict is not Verdict.ACCEPTED
    ]
    refusals = [answer.text for answer in answers if answer.status >= 400]
    assert len(refusals) > len(answers) // 2
    assert [found for text in refusals if (found := inner_words(text))] == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: ascii(form)[:60])
def test_what_a_bad_form_or_text_is_told_is_in_the_contracts_words(
    server_url: str, form: dict[str, Any]
) -> None:
    body = {"model": "verbatim-demo", "prompt": "a", "max_tokens": 2, **form}
    answer = httpx.post(f"{server_url}/openai/v1/completions", content=json.dumps(body), headers=JSON)
    assert answer.status_code == 400, answer.text
    assert inner_words(answer.text) is None


JSON: Final = {"content-type": "application/json"}


def posted_paths() -> Iterator[tuple[str, str]]:
    for contract, operations in TABLES.items():
        for operation in operations:
            if operation.body and "{" not in operation.path:
                yield contract, operation.path


@pytest.mark.parametrize(("contract", "path"), list(posted_paths()))
def test_what_a_malformed_body_is_told_is_in_the_contracts_words(
    server_url: str, contract: str, path: str
) -> None:
    with httpx.Client(headers=JSON) as client:
        answers = [client.post(f"{server_url}/{contract}{path}", content=raw) for raw in RAW]
    assert any(answer.status_code in (400, 415, 422) for answer in answers)  # 415: it takes forms
    assert all(answer.status_code < 500 for answer in answers)
    assert [found for answer in answers if (found := inner_words(answer.text))] == []
