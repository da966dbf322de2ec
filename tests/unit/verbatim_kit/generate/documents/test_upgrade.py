"""3.0 and 3.2 to 3.1: the same values are valid before and after."""

from typing import Any

import pytest

from tests.unit.verbatim_kit.generate.small_documents import INVALID, document, operation
from verbatim_kit.generate.documents.document import SpecError
from verbatim_kit.generate.documents.upgrade import upgrade

REF = {"$ref": "#/components/schemas/Answer"}


def upgraded(schema: dict[str, Any], version: str = "3.0.3") -> Any:
    result = upgrade(document(version=version, field=schema))
    assert result["openapi"] == "3.1.1"
    return result["components"]["schemas"]["Question"]["properties"]["field"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        (
            {"type": "string", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"type": "string", "enum": ["a", None], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"allOf": [REF], "nullable": True}, {"anyOf": [REF, {"type": "null"}]}),
        (
            {"allOf": [REF, {"maxProperties": 1}], "nullable": True, "default": None},
            {"anyOf": [{"allOf": [REF, {"maxProperties": 1}]}, {"type": "null"}], "default": None},
        ),
        ({"oneOf": [REF], "nullable": True}, {"oneOf": [REF, {"type": "null"}]}),
        ({"anyOf": [REF], "nullable": True}, {"anyOf": [REF, {"type": "null"}]}),
        ({"minimum": 0, "exclusiveMinimum": True}, {"exclusiveMinimum": 0}),
        ({"minimum": 0, "exclusiveMinimum": False}, {"minimum": 0}),
        ({"maximum": 1, "exclusiveMaximum": True, "minimum": 0}, {"exclusiveMaximum": 1, "minimum": 0}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"example": None}, {"examples": [None]}),
        ({"items": {"type": "string", "nullable": True}}, {"items": {"type": ["string", "null"]}}),
        (
            {"additionalProperties": {"nullable": True, "type": "number"}},
            {"additionalProperties": {"type": ["number", "null"]}},
        ),
        ({"additionalProperties": False}, {"additionalProperties": False}),
        (
            {"properties": {"nullable": {"type": "string"}, "example": {"type": "string", "nullable": True}}},
            {"properties": {"nullable": {"type": "string"}, "example": {"type": ["string", "null"]}}},
        ),
        ({"default": {"nullable": True, "example": 1}}, {"default": {"nullable": True, "example": 1}}),
        (
            {"type": "integer", "format": "int32"},
            {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1},
        ),
        (
            {"type": "integer", "format": "int64", "minimum": 1},
            {"type": "integer", "format": "int64", "minimum": 1, "maximum": 2**63 - 1},
        ),
        (
            {"type": "integer", "format": "uint64", "maximum": 2**70},
            {"type": "integer", "format": "uint64", "minimum": 0, "maximum": 2**64 - 1},
        ),
        (
            {"type": "integer", "format": "int32", "minimum": 0, "exclusiveMinimum": True, "nullable": True},
            {"type": ["integer", "null"], "format": "int32", "exclusiveMinimum": 0, "maximum": 2**31 - 1},
        ),
        ({"type": "string", "format": "int32"}, {"type": "string", "format": "int32"}),
        ({**REF, "description": "An answer"}, {**REF, "description": "An answer"}),
    ],
)
def test_a_3_0_schema_means_the_same_in_3_1(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert upgraded(before) == after


def test_a_3_1_schema_is_left_alone_but_for_integer_ranges() -> None:
    schema = {"type": ["integer", "null"], "exclusiveMinimum": 0, "example": 1}
    assert upgraded(schema, "3.1.0") == schema
    assert upgraded({**schema, "format": "int8"}, "3.1.0") == {**schema, "format": "int8", "maximum": 127}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            {"exclusiveMinimum": 0},
            "/exclusiveMinimum: OpenAPI 3.0 wants true or false here, and minimum for the number",
        ),
        (
            {"exclusiveMaximum": True},
            "/exclusiveMaximum: OpenAPI 3.0 wants true or false here, and maximum for the number",
        ),
        ({**REF, "nullable": True}, ": OpenAPI 3.0 ignores what stands beside $ref; wrap it in allOf"),
        ({"nullable": True}, ": nullable needs a type, or exactly one of allOf, oneOf and anyOf, beside it"),
    ],
)
def test_what_3_1_cannot_say_is_refused_by_its_place(schema: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as raised:
        upgraded(schema)
    assert str(raised.value) == f"#/components/schemas/Question/properties/field{message}"


@pytest.mark.parametrize("version", ["2.0", "3.3.0", ""])
def test_other_versions_are_refused(version: str) -> None:
    with pytest.raises(SpecError, match="#/openapi: OpenAPI .* is not supported, 3.0 to 3.2 are"):
        upgrade(document(version=version))


def lines(**media: Any) -> dict[str, Any]:
    """A document of 3.2 whose operation answers with lines."""
    answers = {"200": {"description": "Lines", "content": {"application/x-ndjson": media}}, "422": INVALID}
    return document(operation(responses=answers), version="3.2.0")


def test_an_item_of_3_2_is_what_a_stream_has() -> None:
    answers = upgrade(lines(itemSchema=REF))["paths"]["/ask"]["post"]["responses"]
    assert answers["200"]["content"] == {"application/x-ndjson": {"schema": REF}}


def test_a_stream_of_3_2_that_cannot_be_expressed_is_refused_by_its_place() -> None:
    place = "#/paths/~1ask/post/responses/200/content/application~1x-ndjson"
    with pytest.raises(SpecError, match=f"^{place}: application/x-ndjson needs itemSchema"):
        upgrade(lines(schema=REF))
