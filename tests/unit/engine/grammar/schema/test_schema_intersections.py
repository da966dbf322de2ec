"""Schemas of keywords beside each other: each is refused, or all that it allows is valid."""

import json
import os
import time
from contextlib import suppress
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.port.errors import InvalidGrammar
from tests.unit.engine.grammar.schema.schema_cases import SchemaGrammar

NUM_EXAMPLES = int(os.environ.get("VERBATIM_FUZZ_EXAMPLES", "30"))
NUMBERS = st.sampled_from([-10, -2.5, 0, 1, 3, 7.5, 20])
LEAVES: st.SearchStrategy[Any] = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["integer", "number", ["integer", "null"]]),
            "minimum": NUMBERS,
            "exclusiveMaximum": NUMBERS,
            "multipleOf": st.sampled_from([1, 3, 0.5, 0.01]),
        },
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", ["string", "null", "boolean"]]),
            "pattern": st.sampled_from(["^[a-c]+$", "b", "^(?!a)", '^["\\\\a]*$', "^(a|bc){2,}$", "[^a]$"]),
            "minLength": st.integers(0, 3),
            "maxLength": st.integers(2, 6),
            "format": st.sampled_from(["ipv4", "date", "x-own"]),
        },
    ),
    st.fixed_dictionaries(
        {}, optional={"enum": st.just([1, "a", "bb", None, 7]), "const": st.sampled_from([1, "bb"])}
    ),
    st.sampled_from([{"$ref": "#/$defs/tree"}, {"$ref": "#/$defs/word"}, {}]),
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    two = st.lists(inner, min_size=1, max_size=2)
    names = st.sampled_from(["a", "b", "c"])
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", ["object", "null"]]),
            "properties": st.dictionaries(names, inner, max_size=2),
            "required": st.lists(names, max_size=2, unique=True),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "items": inner,
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(1, 3),
            "uniqueItems": st.booleans(),
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "contains": inner,
            "dependentRequired": st.dictionaries(names, st.lists(names, max_size=1), max_size=1),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1),
            "allOf": two,
            "anyOf": two,
            "oneOf": two,
            "$ref": st.sampled_from(["#/$defs/tree", "#/$defs/word"]),
        },
    )


SCHEMAS = st.recursive(LEAVES, nested, max_leaves=8)
DEFINITIONS = {
    "tree": {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}, "b": {"type": "integer"}}},
    "word": {"type": "string", "minLength": 1},
}


@settings(max_examples=NUM_EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(SCHEMAS)
def test_what_keywords_beside_each_other_allow_is_valid(schema: Any) -> None:
    schema = {**schema, "$defs": DEFINITIONS}
    try:
        grammar = SchemaGrammar(schema)
    except InvalidGrammar:
        return
    validator = jsonschema_rs.Draft202012Validator(schema)
    texts = grammar.texts(6)
    assert not [text for text in texts if not validator.is_valid(json.loads(text))]


def product_of_alternatives() -> Any:
    schema: Any = {"type": "object"}
    for at in range(12):
        schema = {"allOf": [schema, {"anyOf": [{"required": [f"a{at}"]}, {"required": [f"b{at}"]}]}]}
    return schema


def doubling_references() -> Any:
    definitions: Any = {"d25": {"type": "object"}}
    for at in range(25):
        following = f"#/$defs/d{at + 1}"
        properties = {
            "x": {"$ref": following, "minProperties": 2},
            "y": {"$ref": following, "maxProperties": 9},
        }
        definitions[f"d{at}"] = {"allOf": [{"$ref": following}, {"properties": properties}]}
    return {"$defs": definitions, "$ref": "#/$defs/d0", "minProperties": 3}


def nested_conditions() -> Any:
    schema: Any = {"const": 1}
    for at in range(14):
        schema = {"not": {"anyOf": [{"properties": {str(at): schema}}, {"not": {"items": schema}}]}}
    return schema


EXPLODING: dict[str, Any] = {
    "alternatives multiplied": product_of_alternatives(),
    "references doubled": doubling_references(),
    "states doubled": {"type": "string", "pattern": "^(a|b)*a(a|b){14}$", "maxLength": 40},
    "many automata": {
        "properties": {
            str(at): {"type": "string", "pattern": f"^[a-z]{{1,{at + 2}}}x*$", "maxLength": 200}
            for at in range(200)
        }
    },
    "lookaheads multiplied": {
        "type": "string",
        "allOf": [{"pattern": f"^(?!.*{chr(97 + at)}{chr(98 + at)}.*{at})"} for at in range(20)],
    },
    "periods multiplied": {
        "type": "string",
        "allOf": [{"pattern": f"^(.{{{at}}})*$"} for at in (2, 3, 5, 7, 11, 13, 17)],
    },
    "counts multiplied": {"type": "string", "pattern": "(?:" * 10 + "a{0,4}" + "){0,4}" * 10, "maxLength": 9},
    "counts of counts": {"type": "string", "pattern": "^((a{0,99}b){0,999}c){0,99}$"},
    "many properties": {"type": "object", "maxProperties": 10**9},
    "many properties counted": {
        "type": "object",
        "minProperties": 256,
        "properties": {str(at): {} for at in range(512)},
    },
    "values of one schema or another": {"oneOf": [{"enum": [*range(5000)]}, {"enum": [*range(5000, 9999)]}]},
    "many choices": {"properties": {str(at): {"oneOf": [{"const": 0}, {"const": 1}]} for at in range(5000)}},
    "unique items of many states": {
        "type": "array",
        "items": {"type": "array", "items": {"enum": [f"{n:04}" * 9 for n in range(0, 9999, 7)]}},
        "uniqueItems": True,
    },
    "many unique arrays": {
        "properties": {
            str(at): {"type": "array", "items": {"type": "string", "maxLength": at + 1}, "uniqueItems": True}
            for at in range(20)
        }
    },
    "conditions multiplied": {
        "type": "object",
        "properties": {str(at): {} for at in range(12)},
        "dependentRequired": {str(at): [str(at + 1)] for at in range(11)},
    },
    "conditions nested": nested_conditions(),
    "references to large places": {
        "properties": {str(at): {"$ref": f"#/x/{at}"} for at in range(600)},
        "x": [{"enum": [at]} for at in range(600)],
    },
    "a long chain": {
        "$ref": "#/$defs/0",
        "minimum": 1,
        "$defs": {str(at): {"$ref": f"#/$defs/{at + 1}", "maximum": 9} for at in range(3000)}
        | {"3000": {"type": "integer"}},
    },
}


@pytest.mark.parametrize("schema", EXPLODING.values(), ids=EXPLODING)
def test_a_small_schema_that_could_grow_without_bound_is_refused_or_quick(schema: Any) -> None:
    began_s = time.process_time()
    with suppress(InvalidGrammar):
        SchemaGrammar(schema).draw(0, max_bytes=60)
    assert time.process_time() - began_s < 5
