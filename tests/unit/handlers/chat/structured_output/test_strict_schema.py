from typing import Any

import pytest

from handlers.chat.errors import NotStrict
from handlers.chat.structured_output.strict_schema import require_strict, strict_violations
from tests.unit.handlers.chat.structured_output.random_schemas import Schema

STEP: Schema = {
    "type": "object",
    "properties": {"explanation": {"type": "string"}, "next": {"$ref": "#"}},
    "required": ["explanation", "next"],
    "additionalProperties": False,
}


def an_object(**properties: Any) -> Schema:
    closed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties} | closed


def nested(depth: int) -> Schema:
    inner: Schema = {"type": "string"}
    for _ in range(depth):
        inner = an_object(inner=inner)
    return inner


@pytest.mark.parametrize(
    "schema",
    [
        an_object(),
        STEP,
        an_object(steps={"type": "array", "items": {"$ref": "#/$defs/Step"}}) | {"$defs": {"Step": STEP}},
        an_object(a={"anyOf": [{"type": "null"}, {"enum": [1, 2]}]}, b={"type": ["string", "null"]}),
        an_object(a={"type": "integer", "minimum": 1, "title": "A"}, const={"const": 1}),
        nested(10),
        an_object(
            a={"type": "array", "items": {"type": "string", "example": "x"}, "min_items": 1, "x-order": 0}
        ),
        an_object(a={"type": "string", "nullable": True, "title": 5, "xml": {"name": "a"}, "$comment": []})
        | {"discriminator": {"propertyName": "a"}, "externalDocs": {}, "propertyOrdering": ["a"]},
    ],
)
def test_what_openai_takes_as_strict_is_strict(schema: Schema) -> None:
    assert list(strict_violations(schema)) == []
    require_strict(schema, "response_format")


@pytest.mark.parametrize(
    ("schema", "place", "word"),
    [
        ({"type": "array", "items": {"type": "string"}}, "", "root"),
        (True, "", "root"),
        ({"anyOf": [STEP]} | STEP, "", "anyOf"),
        ({"type": "object", "properties": {}, "required": []}, "", "additionalProperties"),
        (an_object(a={"type": "string"}) | {"required": []}, "", "'a' is missing"),
        (an_object() | {"required": ["b"]}, "", "'b', which is none"),
        (an_object(a=an_object() | {"additionalProperties": True}), ".properties.a", "additionalProperties"),
        (an_object(a={"oneOf": [STEP]}), ".properties.a", "'oneOf' is not permitted"),
        (an_object(a={"type": "array", "items": {"not": STEP}}), ".properties.a.items", "'not'"),
        (an_object(a={"anyOf": [STEP, {"allOf": []}]}), ".properties.a.anyOf[1]", "'allOf'"),
        (an_object() | {"$defs": {"X": {"if": True}}}, ".$defs.X", "'if'"),
        (
            an_object(a={"type": "array", "items": STEP, "uniqueItems": True}),
            ".properties.a",
            "'uniqueItems'",
        ),
        (an_object(a={"type": "array"}), ".properties.a", "items"),
        (an_object(a={}), ".properties.a", "'type' key"),
        (an_object(a=True), ".properties.a", "object here"),
        (an_object(a={"type": "text"}), ".properties.a.type", "'text' is no type"),
        (nested(11), ".properties.inner" * 11, "10 deep"),
        (an_object(a={"enum": list(range(1001))}), "", "1000 enum values"),
        (an_object(**{f"p{n}": {"type": "null"} for n in range(5001)}), "", "5000 properties"),
    ],
)
def test_what_is_not_strict_is_named_with_its_place(schema: Any, place: str, word: str) -> None:
    with pytest.raises(NotStrict, match=word.replace("[", r"\[")) as caught:
        require_strict(schema, "response_format.json_schema.schema")
    assert caught.value.field == f"response_format.json_schema.schema{place}"
