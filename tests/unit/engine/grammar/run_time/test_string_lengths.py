"""Strings are exactly as long as their schema says, whatever their length costs."""

import json
import random
from typing import Any

import jsonschema_rs
import numpy as np
import pytest

from engine.grammar.compiler import GrammarCompiler
from engine.grammar.run_time.string_lengths import StringLength, StringTokens, part_in_string, rest_after
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, accepts, generate
from tests.unit.engine.port.text import tiny_tokenizers

BOUNDS: list[tuple[int, int | None]] = [(0, 1), (1, None), (2, 3), (10, 10), (40, 300)]
LARGE: list[tuple[int, int | None]] = [(4000, None), (4000, 4001), (0, 10_000)]
CHARACTERS = ["x", "é", "日", "😀", '"', "\n", "\\", " the"]


def compiled(schema: Any, compiler: GrammarCompiler = COMPILER) -> Any:
    return compiler.compile(Grammar(GrammarKind.JSON_SCHEMA, json.dumps(schema)))


def strings(low: int, high: int | None) -> dict[str, Any]:
    bound = {} if high is None else {"maxLength": high}
    return {"type": "string", "minLength": low, **bound}


@pytest.mark.parametrize(
    ("low", "high", "character"),
    [(*bounds, character) for bounds in BOUNDS for character in CHARACTERS]
    + [(*bounds, character) for bounds in LARGE for character in ("x", " the")],
)
def test_a_string_is_neither_shorter_nor_longer(low: int, high: int | None, character: str) -> None:
    grammar = compiled(strings(low, high))
    most = low + 3 if high is None else high
    for length in {low - 1, low, most, most + 1} - {-1}:
        text = (character * length)[:length]
        for is_ascii in (False, True):
            if is_ascii and "😀" in text:
                continue  # one alone of two escaped surrogates is no character
            is_allowed = low <= length and (high is None or length <= high)
            written = json.dumps(text, ensure_ascii=is_ascii)
            assert accepts(grammar, written, 40) is is_allowed, (length, is_ascii)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        # A token may close one string and open another.
        (
            {"type": "array", "items": strings(2, 3), "minItems": 2},
            ['["ab", "abc"]'],
            ['["a", "ab"]', '["ab", "a"]', '["ab", ""]', '["ab", "abcd"]'],
        ),
        ({"type": "array", "items": strings(1, None)}, ['["a"]', "[]"], ['[""]', '["a", ""]']),
        # Names and other strings are not counted.
        (
            {"properties": {"abcdef": strings(0, 2), "b": {"type": "string"}}, "type": "object"},
            ['{"abcdef": "xy", "b": "long enough"}', '{"b": ""}'],
            ['{"abcdef": "xyz"}'],
        ),
        # Alternatives of one text keep to their own bounds.
        (
            {"anyOf": [strings(0, 2), strings(5, 6)]},
            ['"ab"', '"abcde"', '"abcdef"'],
            ['"abc"', '"abcd"', '"abcdefg"'],
        ),
        (
            {"anyOf": [{"enum": ["auto"]}, strings(10, None)]},
            ['"auto"', '"0123456789"'],
            ['"a"', '"automatic"'],
        ),
        (
            {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"a": strings(0, 2), "b": {"type": "integer"}},
                        "required": ["a", "b"],
                    },
                    {
                        "type": "object",
                        "properties": {"a": strings(5, None), "b": {"type": "string"}},
                        "required": ["a", "b"],
                    },
                ]
            },
            ['{"a": "xy", "b": 1}', '{"a": "vwxyz", "b": "c"}'],
            ['{"a": "xy", "b": "c"}', '{"a": "vwxyz", "b": 1}', '{"a": "xyz", "b": 1}'],
        ),
        ({"type": ["string", "null"], "maxLength": 1000}, ["null", '""'], ['"' + "x" * 1001 + '"']),
        (
            {"type": "string", "pattern": "^[a-z]{1,4000}$"},
            ['"a"', '"' + "z" * 4000 + '"'],
            ['""', '"A"', '"' + "z" * 4001 + '"'],
        ),
        (
            {"type": "string", "pattern": "^[^a]*$", "minLength": 2, "maxLength": 300},
            ['"\\"\\n"', '"' + "é" * 300 + '"'],
            ['"b"', '"ba"', '"' + "é" * 301 + '"'],
        ),
        (
            {
                "$ref": "#/$defs/node",
                "$defs": {
                    "node": {
                        "type": "object",
                        "properties": {
                            "name": strings(3, 4),
                            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
                        },
                        "required": ["name", "next"],
                    }
                },
            },
            ['{"name": "abc", "next": {"name": "abcd", "next": null}}'],
            ['{"name": "abc", "next": {"name": "ab", "next": null}}', '{"name": "abcde", "next": null}'],
        ),
        (
            {"type": "object", "additionalProperties": strings(1, 2)},
            ['{"anything": "ab"}'],
            ['{"anything": "abc"}', '{"anything": ""}'],
        ),
        (
            {"type": "object", "properties": {"a": strings(1, 2)}, "additionalProperties": strings(5, 6)},
            ['{"a": "x", "b": "vwxyz"}'],
            ['{"a": "x", "b": "x"}', '{"a": "vwxyz"}'],
        ),
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_counts_are_of_the_string_that_the_text_is_in(schema: Any, good: list[str], bad: list[str]) -> None:
    grammar = compiled(schema)
    assert [text for text in good if not accepts(grammar, text)] == []
    assert [text for text in bad if accepts(grammar, text)] == []


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": strings(1, 3), "minItems": 3, "maxItems": 3},
        {"type": "object", "properties": {"a": strings(20, 30), "b": strings(0, 1)}, "required": ["a", "b"]},
        {"anyOf": [strings(4, 5), {"type": "array", "items": strings(6, 6), "minItems": 1}]},
    ],
    ids=["array", "object", "anyOf"],
)
def test_what_is_generated_matches(schema: Any, seed: int) -> None:
    text = generate(compiled(schema), seed, max_tokens=600)
    assert text is not None
    assert jsonschema_rs.is_valid(schema, json.loads(text)), text


def test_characters_that_take_several_tokens_count_once() -> None:
    """A vocabulary as Llama 2's has a token for each byte."""
    tokenizer = tiny_tokenizers.byte_fallback()
    grammar = compiled(strings(2, 2), GrammarCompiler(tokenizer))
    for text, is_allowed in (('"é語"', True), ('"é"', False), ('"é語a"', False), ('"\\né"', True)):
        vocabulary = tokenizer.hf.get_vocab()
        token_ids = [vocabulary[f"<0x{byte:02X}>"] for byte in text.encode()]
        state = grammar.start()
        is_read = True
        for token_id in [*token_ids, *tokenizer.end_token_ids]:
            mask = state.mask
            is_read &= mask is None or bool(mask.numpy().view(np.uint32)[token_id // 32] >> token_id % 32 & 1)
            if is_read:
                state.accept(token_id)
        assert is_read is is_allowed, text


def test_the_part_of_each_token_in_a_string_is_counted_alike_however_it_is_computed() -> None:
    """One computation takes all tokens at once, the other byte by byte."""
    generator = random.Random(1)
    pieces = ["a", '"', "\\n", '\\"', "\\\\", "\\u00e9", "é", "日", "😀"]
    tokens, rests = [b""], [0]
    for _ in range(2000):
        text = "".join(generator.choices(pieces, k=8)).encode()
        start = generator.randrange(len(text))
        tokens.append(text[start : start + generator.randint(1, 9)])
        rest = 0
        for byte in text[:start]:
            rest = rest_after(byte, rest)
        rests.append(rest)
    assert set(rests) == set(range(9))
    strings = StringTokens(tokens)
    for low, high in ((0, 1), (1, 5), (3, 3), (0, 7)):
        for token_id, (token, rest) in enumerate(zip(tokens, rests, strict=True)):
            allowed = strings.allowed(rest, low, high)
            part = part_in_string(token, rest)
            suits = part.num_characters <= high and not (part.closes and part.num_characters < low)
            assert bool(allowed[token_id // 32] >> token_id % 32 & 1) is suits, (token, rest)


def test_bounds_name_themselves() -> None:
    assert StringLength(1, None).marker != StringLength(1, 1).marker
    assert [StringLength(1, 2).allows(number) for number in range(4)] == [False, True, True, False]
