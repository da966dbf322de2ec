import json

import pytest

from engine.request import Grammar, GrammarKind
from handlers.chat.errors import InvalidResponseFormat
from handlers.chat.response_format import AnyJsonObject, JsonSchema, Regex, ResponseFormat, response_grammar

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
