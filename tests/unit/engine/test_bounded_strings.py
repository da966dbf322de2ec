import json
from collections.abc import Mapping

import pytest
import xgrammar

from engine.bounded_strings import with_json_strings

BOUNDED = {"type": "string", "minLength": 1, "maxLength": 3}


def accepts(schema: Mapping[str, object], text: str) -> bool:
    info = xgrammar.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b""], stop_token_ids=[256])
    grammar = with_json_strings(xgrammar.Grammar.from_json_schema(json.dumps(schema)))
    matcher = xgrammar.GrammarMatcher(xgrammar.GrammarCompiler(info).compile_grammar(grammar))
    return bool(matcher.accept_string(text)) and bool(matcher.accept_token(256))


@pytest.mark.parametrize("value", ["a", "abc", '"', "a\\b", "\n\t\r", "é€😀"])
def test_a_string_of_bounded_length_can_be_written(value: str) -> None:
    assert accepts(BOUNDED, json.dumps(value, ensure_ascii=False))


@pytest.mark.parametrize(
    "text", ['""', '"abcd"', '"\\n\\n\\n\\n"', '"a\tb"', '"\x07"', '"a\nb"', '"\\x"', '"a']
)
def test_what_is_no_json_string_of_that_length_cannot_be_written(text: str) -> None:
    assert not accepts(BOUNDED, text)


def test_the_rest_of_a_schema_is_as_it_was() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": BOUNDED},
            "b": {"type": "string", "pattern": "^[x-z]{2}$"},
            "c": {"type": "string"},
        },
        "required": ["a", "b", "c"],
    }
    assert accepts(schema, '{"a": ["é"], "b": "xy", "c": "\\u0007"}')
    for text in [
        '{"a": ["é"], "b": "xa", "c": ""}',
        '{"a": [""], "b": "xy", "c": ""}',
        '{"a": [], "b": "xy"}',
    ]:
        assert not accepts(schema, text)


def test_a_grammar_without_such_strings_is_left_alone() -> None:
    grammar = xgrammar.Grammar.from_json_schema('{"type": "string"}')
    assert with_json_strings(grammar) is grammar
