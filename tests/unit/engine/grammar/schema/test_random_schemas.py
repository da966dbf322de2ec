"""The texts that a schema's grammar allows are valid against it, however its keywords stand together."""

import json
import random
from typing import Any

import jsonschema_rs
import pytest

from engine.port.errors import InvalidGrammar
from tests.unit.engine.grammar.schema.schema_cases import SchemaGrammar

_NUM_SEEDS = 20
_SCHEMAS_A_SEED = 8
_TEXTS_A_SCHEMA = 3
_NAMES = ("a", "b", "x-1")
_VALUES = (1, "a", "bb", None, True, 2.5, [1], {"a": 1})
_PATTERNS = ("^a+$", "^[ab]{1,3}$", "b", "^(x|yy)*$", "^é.$", r"\d", "^a|b$")
_BOUNDS = (-3, -0.5, 0, 0.5, 1e-7, 2, 7.25)

Schema = dict[str, Any]


class _Repeated(Exception):
    """An object has a name twice, which no grammar excludes."""


def _leaf(draw: random.Random) -> Schema:
    match draw.randrange(7):
        case 0:
            return {"type": "string", "minLength": draw.randint(0, 2), "maxLength": draw.randint(2, 4)}
        case 1:
            return {"type": "string", "pattern": draw.choice(_PATTERNS)}
        case 2:
            low, high = (
                draw.choice(("minimum", "exclusiveMinimum")),
                draw.choice(("maximum", "exclusiveMaximum")),
            )
            bounds = sorted(draw.sample(_BOUNDS, 2))
            return {"type": draw.choice(("integer", "number")), low: bounds[0], high: bounds[1]}
        case 3:
            return {"type": "number", "exclusiveMaximum": draw.choice((0.5, 3, -1.25)), "multipleOf": 0.25}
        case 4:
            return {"enum": draw.sample(_VALUES, draw.randint(1, 4))}
        case 5:
            return {"type": draw.sample(("string", "integer", "null", "array", "object"), draw.randint(1, 3))}
        case _:
            return {}


def _object(draw: random.Random, depth: int) -> Schema:
    names = draw.sample(_NAMES, draw.randint(0, 2))
    made: Schema = {"type": "object", "properties": {name: _schema(draw, depth - 1) for name in names}}
    chances: Schema = {
        "required": names[:1],
        "additionalProperties": draw.choice((False, False, _leaf(draw))),
        "unevaluatedProperties": False,
        "propertyNames": {"pattern": "^[ab]"},
        "patternProperties": {"^x": _leaf(draw)},
        "minProperties": draw.randint(0, 2),
        "maxProperties": draw.randint(1, 3),
        "dependentRequired": {draw.choice(_NAMES): [draw.choice(_NAMES)]},
    }
    return made | {name: value for name, value in chances.items() if draw.random() < 0.3}


def _array(draw: random.Random, depth: int) -> Schema:
    chances: Schema = {
        "items": _schema(draw, depth - 1),
        "prefixItems": [_schema(draw, depth - 1)],
        "minItems": draw.randint(0, 2),
        "maxItems": draw.randint(1, 3),
        "uniqueItems": True,
        "unevaluatedItems": False,
        "contains": _leaf(draw),
    }
    return {"type": "array"} | {name: value for name, value in chances.items() if draw.random() < 0.4}


def _schema(draw: random.Random, depth: int) -> Schema:
    kind = draw.random() if depth else 0.0
    members = [_schema(draw, depth - 1) for _ in range(draw.randint(1, 2))] if kind >= 0.6 else []
    if kind < 0.2:
        made = _leaf(draw)
    elif kind < 0.6:
        made = _object(draw, depth) if kind < 0.45 else _array(draw, depth)
    elif kind < 0.9:
        made = {draw.choice(("anyOf", "oneOf", "allOf")): members}
    else:
        made = {"if": _leaf(draw), "then": members[0], "else": _leaf(draw)}
    return {**_leaf(draw), **made} if depth and draw.random() < 0.2 else made


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in members}) < len(members):
        raise _Repeated
    return dict(members)


@pytest.mark.parametrize("seed", range(_NUM_SEEDS))
def test_texts_of_random_schemas_are_valid(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(_SCHEMAS_A_SEED):
        schema = {**_object(draw, 3), "$defs": {"a": _leaf(draw)}}
        schema["properties"]["r"] = {
            "$ref": draw.choice(("#/$defs/a", *(f"#/properties/{n}" for n in schema["properties"])))
        }
        try:
            grammar = SchemaGrammar(schema)
        except InvalidGrammar:
            continue
        validator = jsonschema_rs.Draft202012Validator(schema)
        for number in range(_TEXTS_A_SCHEMA):
            if (text := grammar.draw(number)) is None:
                continue
            try:
                value = json.loads(text, object_pairs_hook=_once)
            except _Repeated:
                continue
            assert validator.is_valid(value), (text, schema)
