"""A schema is judged in Rust as openapi-spec-validator judges it in Python, in the same words."""

from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from verbatim_kit.generate.spec_validator import SpecValidator


def document(schema: Any, **further: Any) -> dict[str, Any]:
    return {
        "openapi": "3.1.1",
        "info": {"title": "A", "version": "1"},
        "paths": {},
        "components": {"schemas": {"A": schema}},
        **further,
    }


def errors(validator: type[OpenAPIV31SpecValidator], spec: dict[str, Any]) -> list[tuple[str, list[object]]]:
    return [(error.message, list(error.absolute_path)) for error in validator(spec).iter_errors()]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strin"},
        {"type": "object", "properties": {"a": {"minimum": "x"}}},
        {"allOf": [{"items": 3}]},
        {"additionalProperties": {"oneOf": [{"type": 7}]}},
        {"pattern": "("},
        {"required": ["a", "a"]},
        {"discriminator": {}},
        {"xml": 4},
        {"type": "integer", "default": "x"},
    ],
)
def test_what_is_wrong_is_said_in_the_librarys_words(schema: Any) -> None:
    found = errors(SpecValidator, document(schema))
    assert found and found == errors(OpenAPIV31SpecValidator, document(schema))


@pytest.mark.parametrize(
    "spec",
    [
        document({"type": ["string", "null"], "discriminator": {"propertyName": "a"}, "x-own": 1}),
        document(True),
        document({"$schema": "https://json-schema.org/draft/2020-12/schema", "discriminator": 3}),
        document({"discriminator": 3}, jsonSchemaDialect="https://json-schema.org/draft/2020-12/schema"),
    ],
)
def test_what_is_right_in_its_dialect_passes(spec: dict[str, Any]) -> None:
    assert errors(SpecValidator, spec) == errors(OpenAPIV31SpecValidator, spec) == []
