import json

import pytest

from engine.grammar.compiler import GrammarCompiler
from engine.port.errors import GenerationFailed
from engine.port.request import Grammar, GrammarKind
from handlers.chat.errors import InvalidResponseFormat
from handlers.chat.structured_output.response_format import (
    AnyJsonObject,
    Choice,
    Ebnf,
    JsonSchema,
    Regex,
    ResponseFormat,
    StructuralTag,
    response_grammar,
    response_tag,
    tag_grammar,
)
from tests.unit.handlers.chat.models import chat_tokenizer

SCHEMA = {"type": "object", "properties": {"größe": {"type": "integer", "maximum": 2**70}}}


@pytest.mark.parametrize(
    ("response_format", "expected"),
    [
        (AnyJsonObject(), Grammar(GrammarKind.JSON_OBJECT)),
        (Regex("[a-c]+"), Grammar(GrammarKind.REGEX, "[a-c]+")),
        (JsonSchema(False), Grammar(GrammarKind.JSON_SCHEMA, "false")),
    ],
)
def test_each_response_format_has_its_grammar(response_format: ResponseFormat, expected: Grammar) -> None:
    assert response_grammar(response_format) == expected


def test_a_schema_reaches_the_engine_unchanged() -> None:
    assert json.loads(response_grammar(JsonSchema(SCHEMA)).source) == SCHEMA


def test_a_schema_may_come_as_json_text() -> None:
    assert JsonSchema.parse(json.dumps(SCHEMA)) == JsonSchema.parse(SCHEMA) == JsonSchema(SCHEMA)


NO_JSON = [
    "[" * 5000,
    '{"items":' * 5000,
    '{"const": NaN}',
    '{"const": -Infinity}',
    '{"const": ' + "9" * 6000 + "}",
]


@pytest.mark.parametrize(
    "text", NO_JSON, ids=["deep array", "deep schema", "NaN", "-Infinity", "6000 digits"]
)
def test_a_schemas_text_is_read_strictly_and_within_bounds(text: str) -> None:
    with pytest.raises(InvalidResponseFormat, match=r"the schema is not JSON: .* at line 1 column \d+$"):
        JsonSchema.parse(text)


@pytest.mark.parametrize("value", ['{"const": 1e999}', {"const": float("inf")}])
def test_a_schema_whose_numbers_no_double_holds_is_refused(value: object) -> None:
    with pytest.raises(InvalidResponseFormat, match="number that is too large"):
        JsonSchema.parse(value)


@pytest.mark.parametrize("value", ["{", "[]", 3, None, ["a"]])
def test_what_is_no_schema_is_refused(value: object) -> None:
    with pytest.raises(InvalidResponseFormat) as caught:
        JsonSchema.parse(value)
    assert caught.value.field == "response_format"


@pytest.mark.parametrize(
    ("response_format", "allowed", "refused"),
    [
        (Ebnf('root ::= "a" [0-9]+'), ["a1", "a42"], ["a", "1"]),
        (Choice(("yes", "no", 'a "b"\n')), ["yes", "no", 'a "b"\n'], ["maybe", "yesno", ""]),
        (StructuralTag({"type": "const_string", "value": "x"}), ["x"], ["y"]),
    ],
)
@pytest.mark.parametrize("thinks", [False, True])
def test_grammars_choices_and_structural_tags_bind_the_answer(
    response_format: ResponseFormat, allowed: list[str], refused: list[str], thinks: bool
) -> None:
    grammar = response_grammar(response_format)
    before = ""
    if thinks:  # behind thoughts they are one part of a longer text
        before = "Hm."
        thoughts = {"type": "const_string", "value": before}
        grammar = tag_grammar({"type": "sequence", "elements": [thoughts, response_tag(response_format)]})
    assert all(accepts(grammar, before + text) for text in allowed)
    assert not any(accepts(grammar, before + text) for text in refused)


def test_a_structural_tags_older_form_is_read() -> None:
    structure = {"begin": "<f>", "schema": {"type": "boolean"}, "end": "</f>"}
    tag = StructuralTag.parse({"structures": [structure], "triggers": ["<f>"]})
    grammar = response_grammar(tag)
    assert accepts(grammar, "So <f>true</f> it is") and not accepts(grammar, "<f>1</f>")
    newer = {"type": "structural_tag", "format": tag.format}
    assert StructuralTag.parse(newer) == tag


@pytest.mark.parametrize(
    "value",
    [{}, {"format": 1}, {"structures": [], "triggers": ["<f>"]}, {"structures": [1], "triggers": ["<"]}],
)
def test_what_is_no_response_format_is_refused_with_the_field_that_it_came_in(
    value: dict[str, object],
) -> None:
    with pytest.raises(InvalidResponseFormat) as caught:
        StructuralTag.parse(value, "structured_outputs.structural_tag")
    assert caught.value.field == "structured_outputs.structural_tag"
    with pytest.raises(InvalidResponseFormat) as caught:
        JsonSchema.parse(7, "guided_json")
    assert caught.value.field == "guided_json"


def accepts(grammar: Grammar, text: str) -> bool:
    """Return whether the engine would let the text be written, and end there."""
    tokenizer = chat_tokenizer()
    state = GrammarCompiler(tokenizer).compile(grammar).start()
    try:
        for token_id in (*tokenizer.encode(text, add_special_tokens=False), *tokenizer.end_token_ids):
            state.accept(token_id)
    except GenerationFailed:
        return False
    return True
