"""Structural tags allow what xgrammar's own reading allows, which is the reference."""

import json
from typing import Any

import pytest
import xgrammar

from engine.grammar.ebnf.matcher import EbnfMatcher
from engine.grammar.lark.matcher import LarkMatcher
from engine.port.errors import InvalidGrammar
from engine.port.request import Grammar, GrammarKind
from tests.unit.engine.grammar.grammar_cases import COMPILER, TOKENIZER, accepts, ids_of
from tests.unit.engine.port.text import tiny_tokenizers

Format = dict[str, Any]

_BYTES = xgrammar.TokenizerInfo(
    [*(bytes([byte]) for byte in range(256)), b"</s>"],
    vocab_type=xgrammar.VocabType.RAW,
    vocab_size=257,
    stop_token_ids=[256],
)
REFERENCE = xgrammar.GrammarCompiler(_BYTES)

ANY: Format = {"type": "any_text"}
NUMBER: Format = {"type": "json_schema", "json_schema": {"type": "integer"}}


def const(text: str) -> Format:
    return {"type": "const_string", "value": text}


def regex(pattern: str) -> Format:
    return {"type": "regex", "pattern": pattern}


def without(*texts: str) -> Format:
    return {"type": "any_text", "excludes": [*texts]}


def tag(begin: str, content: Format, end: str | list[str]) -> Format:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def sequence(*elements: Format) -> Format:
    return {"type": "sequence", "elements": [*elements]}


def either(*elements: Format) -> Format:
    return {"type": "or", "elements": [*elements]}


def repeated(kind: str, content: Format, **counts: int) -> Format:
    return {"type": kind, "content": content, **counts}


CALLS = [tag("<f1>", NUMBER, "</f>"), tag("<f2>", const("k"), "</f>")]


def triggered(**options: Any) -> Format:
    return {"type": "triggered_tags", "triggers": ["<f"], "tags": CALLS, **options}


def separated(**options: Any) -> Format:
    return {"type": "tags_with_separator", "tags": CALLS, "separator": ",", **options}


IN_TEXT = [
    *("", "txt", "<f1>1</f>", "a<f1>12</f>", "<f1>1</f>b", "<f1>1</f>b<f2>k</f>c", "<f1>1</f><f2>k</f>"),
    *("a<fx", "a<f", "<", "<<f1>1</f>", "x<f1>k</f>", "azza", "<f1>1</f>zz"),
]
SEPARATED = [
    "",
    "<f1>1</f>",
    "<f1>1</f>,<f2>k</f>",
    "<f1>1</f>,",
    "<f1>1</f><f2>k</f>",
    "<f1>1</f>\n<f2>k</f>\n!",
]
CASES: list[tuple[Format, list[str]]] = [
    (const('a "quoted" \\ text\n'), ['a "quoted" \\ text\n', "a"]),
    (sequence(ANY, const("X")), ["abX", "aXbX", "X", "ab"]),
    (sequence(without("X"), const("X")), ["abX", "aXbX", "X", "ab"]),
    (sequence(without("aa"), const("aa")), ["aa", "baa", "aaa", "aaaa", "a"]),
    (tag("<a>", ANY, "</a>"), ["<a>x</a>", "<a>x</a>y</a>", "<a></a>", "x"]),
    (tag("<a>", ANY, ["</a>", "<end>"]), ["<a>x</a>", "<a>x<end>", "<a>x</a>y<end>"]),
    (tag("<a>", without("q"), "</a>"), ["<a>x</a>", "<a>q</a>"]),
    (without("END"), ["abc", "aEN", "aEND", "aENDb"]),
    ({"type": "any_text", "max_chars": 2}, ["", "é", "éé", "ééé"]),
    (either(ANY, const("b")), ["a", "b", ""]),
    (either(regex("[a-z]+"), NUMBER), ["abc", "12", "a1"]),
    (sequence(regex("[a-z]+"), const("end")), ["aend", "endend", "end", "en"]),
    (sequence(either(regex("[a-z]*"), NUMBER), const("end")), ["aend", "12end", "end", "1"]),
    (sequence(repeated("star", regex("[a-z]")), const("end")), ["enend", "end", "ab"]),
    (
        sequence(sequence(without("<c>"), tag("<c>", NUMBER, "</c>")), const("!")),
        ["a<c>1</c>!", "<c>1</c>!", "a<c>1</c>", "a<c>1</c><c>1</c>!"],
    ),
    (repeated("optional", NUMBER), ["", "1", "a"]),
    (repeated("plus", tag("<", NUMBER, ">")), ["", "<1>", "<1><2>"]),
    (repeated("repeat", tag("<", NUMBER, ">"), min=1, max=2), ["", "<1>", "<1><2>", "<1><2><3>"]),
    (repeated("repeat", const("k"), min=2, max=-1), ["k", "kk", "kkkk"]),
    (sequence(repeated("star", tag("<a", NUMBER, ">")), const("<b>")), ["<b>", "<a1><b>", "<a1>"]),
    (triggered(), IN_TEXT),
    (triggered(at_least_one=True), IN_TEXT),
    (triggered(stop_after_first=True), IN_TEXT),
    (triggered(at_least_one=True, stop_after_first=True), IN_TEXT),
    (triggered(excludes=["zz"]), IN_TEXT),
    (tag("[", triggered(), "]"), ["[]", "[a]", "[a<f1>1</f>b]", "[a]]"]),
    (sequence(triggered(), const("E")), ["aE", "a<f1>1</f>E", "aEE", "a"]),
    (separated(), SEPARATED),
    (separated(at_least_one=True), SEPARATED),
    (separated(stop_after_first=True), SEPARATED),
    (separated(at_least_one=True, stop_after_first=True), SEPARATED),
    (separated(separator=""), SEPARATED),
    (sequence(separated(separator="\n"), const("\n!")), SEPARATED),
    (
        {"type": "dispatch", "rules": [["<f", NUMBER], ["<g", const("k")]]},
        ["a<f1b<gk", "<fx", "a", "<f1"],
    ),
    (
        {"type": "dispatch", "rules": [["<f", NUMBER], ["<g", const("k")]], "loop": False},
        ["a<f1b<gk", "<fx", "a", "<f1", "a<f1"],
    ),
    (
        tag("<a>", {"type": "grammar", "grammar": 'root ::= ("a" | "é")+ [^x-z]{2} "" | "q"'}, "</a>"),
        ["<a>aéab</a>", "<a>q</a>", "<a>axx</a>", "<a>aa</a>"],
    ),
]


def grammar(tag_format: Format) -> Grammar:
    return Grammar(GrammarKind.STRUCTURAL_TAG, json.dumps({"type": "structural_tag", "format": tag_format}))


def xgrammar_accepts(tag_format: Format, text: str) -> bool:
    compiled = REFERENCE.compile_structural_tag(grammar(tag_format).source)
    matcher = xgrammar.GrammarMatcher(compiled)
    return bool((not text or matcher.accept_string(text)) and matcher.is_completed())


@pytest.mark.parametrize(("tag_format", "texts"), CASES, ids=lambda value: json.dumps(value)[:60])
def test_a_tag_allows_what_xgrammar_allows(tag_format: Format, texts: list[str]) -> None:
    compiled = COMPILER.compile(grammar(tag_format))
    assert isinstance(compiled.start()._matcher, LarkMatcher)
    expected = {text: xgrammar_accepts(tag_format, text) for text in texts}
    assert {text: accepts(compiled, text) for text in texts} == expected


@pytest.mark.parametrize(
    ("tag_format", "complaint"),
    [
        ({"type": "nonsense"}, r"nonsense.*\$\.format"),
        (tag("<a>", const(1), "</a>"), r"str.*\$\.format\.content\.value"),  # type: ignore[arg-type]
        (sequence(), "at least one element"),
        (either(), "at least one element"),
        (without(""), "at least one character"),
        (repeated("repeat", ANY, min=3, max=2), "3 to 2"),
        (tag("<a>", ANY, ""), "in the tag '<a>': .* has an end"),
        (triggered(triggers=["<", "<f"]), "2 triggers begin the tag '<f1>'"),
        (triggered(triggers=["<g"]), "0 triggers begin the tag '<f1>'"),
        (tag("<a>", {"type": "token", "token": "<nowhere>"}, "</a>"), "no token '<nowhere>'"),
        (separated(tags=[tag("<b>", regex("(a"), "</b>")]), "in the tag '<b>'"),
    ],
    ids=str,
)
def test_a_tag_that_cannot_be_is_refused_where_it_stands(tag_format: Format, complaint: str) -> None:
    with pytest.raises(InvalidGrammar, match=complaint):
        COMPILER.compile(grammar(tag_format))


def test_a_deep_tag_is_refused() -> None:
    deep = '{"type":"star","content":' * 5000 + '{"type":"any_text"}' + "}" * 5000
    source = f'{{"type":"structural_tag","format":{deep}}}'
    with pytest.raises(InvalidGrammar, match="deep"):
        COMPILER.compile(Grammar(GrammarKind.STRUCTURAL_TAG, source))


def test_tokens_are_named_or_numbered() -> None:
    [mark] = ids_of(tiny_tokenizers.MARK)
    [a], [b] = ids_of("a"), ids_of("b")
    parts: list[Format] = [
        {"type": "token", "token": tiny_tokenizers.MARK},
        {"type": "exclude_token", "exclude_tokens": [a]},
        {"type": "any_tokens", "exclude_tokens": [tiny_tokenizers.MARK], "max_tokens": 2},
        {"type": "token", "token": mark},
    ]
    compiled = COMPILER.compile(grammar(sequence(*parts)))
    for token_ids, is_allowed in (
        ([mark, b, mark], True),
        ([mark, b, a, a, mark], True),
        ([mark, b, a, a, a, mark], False),
        ([mark, a, mark], False),
    ):
        state = compiled.start()
        assert (state.num_allowed(token_ids) == len(token_ids)) is is_allowed


@pytest.mark.parametrize(
    "tag_format",
    [
        {"type": "json_schema", "json_schema": {"type": "object"}, "style": "qwen_xml"},
        {"type": "grammar", "grammar": 'root ::= "(" root ")" | "x"'},
        sequence(ANY, NUMBER),
    ],
    ids=["style", "recursion", "open text"],
)
def test_what_has_no_counterpart_is_left_to_xgrammar(tag_format: Format) -> None:
    assert isinstance(COMPILER.compile(grammar(tag_format)).start()._matcher, EbnfMatcher)


def test_a_marker_may_be_one_token_or_several() -> None:
    mark = tiny_tokenizers.MARK
    compiled = COMPILER.compile(grammar(triggered(triggers=[mark], tags=[tag(mark, NUMBER, "!")])))
    spelled = [token_id for letter in mark for token_id in ids_of(letter)]
    for token_ids in (ids_of(mark), spelled):
        state = compiled.start()
        for token_id in [*ids_of("so "), *token_ids, *ids_of("12!")]:
            state.accept(token_id)
        state.accept(TOKENIZER.end_token_ids[0])
        assert state.is_complete
