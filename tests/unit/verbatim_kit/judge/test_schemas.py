"""Tests which schemas are closed, and which values they then refuse."""

from typing import Any

import pytest

from verbatim_kit.judge.schemas import Schemas

A = {"type": "object", "properties": {"a": {}, "both": {}}}
B = {"type": "object", "required": ["b"], "properties": {"b": {}, "both": {}}}
TREE = {"type": "object", "properties": {"left": {"$ref": "#/components/schemas/Tree"}}}
DOCUMENT = {"components": {"schemas": {"A": A, "B": B, "Tree": TREE}}}
TO_A, TO_B = {"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}


def allows(schema: Any, value: Any) -> bool:
    return Schemas(DOCUMENT).rule(schema).allows(value)


@pytest.mark.parametrize(
    ("schema", "value", "allowed"),
    [
        (A, {"a": 1}, True),
        (A, {"c": 1}, False),
        ({**A, "additionalProperties": True}, {"c": 1}, True),
        ({**A, "additionalProperties": {"type": "string"}}, {"c": 1}, False),
        ({**A, "additionalProperties": {"type": "null"}}, {"c": None}, False),
        ({**A, "additionalProperties": True, "x-ignores-unknown": True}, {"c": 1}, False),
        ({**A, "patternProperties": {"^c": {}}}, {"c": 1}, True),
        ({"type": "object"}, {"c": 1}, True),
        ({}, {"c": 1}, True),
        ({"items": A}, [{"c": 1}], False),
        ({"prefixItems": [A]}, [{"c": 1}], False),
        ({"additionalProperties": A}, {"any": {"c": 1}}, False),
        ({**TO_A, "description": "One"}, {"c": 1}, False),
        ({"anyOf": [TO_A, TO_B]}, {"a": 1}, True),
        ({"anyOf": [TO_A, TO_B]}, {"b": 1, "both": 2}, True),
        ({"anyOf": [TO_A, TO_B]}, {"a": 1, "b": 1}, False),
        ({"allOf": [TO_A, TO_B]}, {"a": 1, "b": 1, "both": 1}, True),
        ({"allOf": [TO_A, TO_B]}, {"a": 1, "b": 1, "c": 1}, False),
        ({**TO_A, "properties": {"c": {}}}, {"a": 1, "c": 1}, True),
        ({**TO_A, "properties": {"c": {}}}, {"a": 1, "d": 1}, False),
        ({**A, "anyOf": [{"required": ["a"]}, {"required": ["both"]}]}, {"a": 1}, True),
        ({**A, "not": TO_B}, {"a": 1}, True),
        ({**A, "not": {"properties": {"a": {"const": 2}}, "required": ["a"]}}, {"a": 2}, False),
        ({"type": "array", "contains": TO_B}, [{"b": 1, "c": 1}], True),
        ({"x-same-length": ["a", "b"]}, {"a": [1], "b": [2], "c": []}, True),
        ({"x-same-length": ["a", "b"]}, {"a": [1], "b": None}, True),
        ({"x-same-length": ["a", "b"]}, {"a": [1], "b": []}, False),
        ({"$ref": "#/components/schemas/Tree"}, {"left": {"left": {}}}, True),
        ({"$ref": "#/components/schemas/Tree"}, {"left": {"left": {"right": 1}}}, False),
    ],
)
def test_an_object_has_what_its_schema_states_and_nothing_else(
    schema: Any, value: Any, allowed: bool
) -> None:
    assert allows(schema, value) is allowed


def test_a_condition_is_not_closed() -> None:
    condition = Schemas(DOCUMENT).condition({"properties": {"b": TO_B}, "required": ["b"]})
    assert condition.allows({"b": {"b": 1, "c": 1}, "d": 1})
    assert not condition.allows({"b": {}})


def test_of_a_union_the_branch_that_was_meant_is_told_of() -> None:
    kinds = [
        {**A, "properties": {"kind": {"const": "a"}, "size": {"type": "integer"}}},
        {**A, "properties": {"kind": {"const": "b"}, "name": {"type": "string"}}},
        {"type": "null"},
    ]
    (fault,) = Schemas(DOCUMENT).rule({"anyOf": kinds}).faults({"kind": "b", "name": 1}, "body")
    assert fault.place == "body/name"
    (fault,) = Schemas(DOCUMENT).rule({"anyOf": kinds}).faults({"kind": "b", "size": 1}, "body")
    assert (fault.check, fault.place) == ("undeclared", "body")
