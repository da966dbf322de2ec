import json
from typing import Any

import jsonschema_rs
import pytest

from engine.grammar.patterns.formats import FORMAT_PATTERNS
from engine.grammar.schema.enforceable_document import parse_json
from engine.port.errors import InvalidGrammar
from tests.support.selection.effort import trials
from tests.unit.engine.grammar.schema.schema_cases import SchemaGrammar

INTEGER = {"type": "integer"}
STRING = {"type": "string"}
TREE = {"type": "object", "properties": {"left": {"$ref": "#"}, "value": INTEGER}, "required": ["value"]}


def tagged(tag: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": tag}, "n": INTEGER}, "required": ["kind"]}


# A schema, and JSON texts that it must not allow.
ENFORCED: dict[str, tuple[Any, list[str]]] = {
    "type": (INTEGER, ["1.5", '"1"', "01", "-"]),
    "types": ({"type": ["integer", "null"]}, ['"a"', "1.5"]),
    "number": ({"type": "number"}, [".5", "1.", "+1"]),
    "enum": ({"enum": ["a", 1, None]}, ['"b"', "2"]),
    "enum with type": ({"type": "string", "enum": ["a", "b"]}, ['"c"', "1"]),
    "const": ({"const": "fixed"}, ['"other"', "1"]),
    "properties": ({"type": "object", "properties": {"a": INTEGER}}, ['{"a": "x"}', '{"b": 1}']),
    "required": (
        {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "required": ["b"]},
        ["{}", '{"a": 1}'],
    ),
    "additionalProperties": ({"type": "object", "additionalProperties": INTEGER}, ['{"a": "x"}']),
    "additional beside declared": (
        {"type": "object", "properties": {"a": INTEGER}, "additionalProperties": STRING},
        ['{"a": "x"}', '{"a": 1, "b": 2}', '{"a": 1, "a": "x"}'],
    ),
    "unevaluatedProperties": ({"type": "object", "unevaluatedProperties": INTEGER}, ['{"a": "x"}']),
    "propertyNames": ({"type": "object", "propertyNames": {"maxLength": 2}}, ['{"abc": 1}']),
    "propertyNames by enum": ({"type": "object", "propertyNames": {"enum": ["a"]}}, ['{"b": 1}']),
    "patternProperties": (
        {"type": "object", "patternProperties": {"^[a-c]+$": INTEGER}, "additionalProperties": False},
        ['{"a": "x"}', '{"d": 1}'],
    ),
    "minProperties": (
        {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "minProperties": 1},
        ["{}"],
    ),
    "maxProperties": (
        {"type": "object", "additionalProperties": INTEGER, "maxProperties": 1},
        ['{"a": 1, "b": 2}'],
    ),
    "items": ({"type": "array", "items": INTEGER}, ['["a"]', "[1, null]"]),
    "prefixItems": ({"type": "array", "prefixItems": [INTEGER, STRING]}, ['["a"]', '[1, "a", 2]']),
    "prefixItems and items": ({"type": "array", "prefixItems": [INTEGER], "items": STRING}, ["[1, 2]"]),
    "unevaluatedItems": ({"type": "array", "unevaluatedItems": INTEGER}, ['["a"]']),
    "minItems": ({"type": "array", "items": INTEGER, "minItems": 2}, ["[]", "[1]"]),
    "maxItems": ({"type": "array", "items": INTEGER, "maxItems": 2}, ["[1, 2, 3]"]),
    "minLength": ({"type": "string", "minLength": 2}, ['"a"', '"\\n"', '"\\ud83d\\ude00"']),
    "maxLength": ({"type": "string", "maxLength": 2}, ['"abc"', '"a\\nb"', '"\n"', '"\x01"', '"\\"']),
    "lengths": ({"type": ["string", "null"], "minLength": 2, "maxLength": 900}, ['"a"']),
    "pattern": ({"type": "string", "pattern": "^[a-f]+(-[0-9]{2})?$"}, ['"g"', '"a-1"', '""']),
    "an optional group that ends in a repetition": (
        {"type": "string", "pattern": r"^a(\.[0-9]{1,9})?[)?]?(\)?b+)??$"},
        ['"a1"', '"a.)b"', '"ab)"', '"a"b"'],
    ),
    "such a group in names": (
        {"type": "object", "patternProperties": {"^a(-b+)?$": INTEGER}, "additionalProperties": False},
        ['{"ab": 1}', '{"a-": 1}'],
    ),
    "pattern of any character": ({"type": "string", "pattern": "^.[^a].$"}, ['"a"b"', '"\\x""', '"xa"']),
    "integer bounds": ({"type": "integer", "minimum": -3, "maximum": 120}, ["-4", "121", "1000"]),
    "exclusive bounds": ({"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 7}, ["5", "7"]),
    "number bounds": ({"type": "number", "minimum": 0, "maximum": 1}, ["-0.1", "1.5", "2", "1e5"]),
    "exclusive number bounds": (
        {"type": "number", "exclusiveMinimum": 0.5, "exclusiveMaximum": 2.5},
        ["0.5", "2.5", "3"],
    ),
    "multipleOf": ({"type": "integer", "multipleOf": 7}, ["1", "15"]),
    "a reference with escapes": (
        {"type": "array", "items": {"$ref": "#/$defs/a~1b~0/items"}, "minItems": 1}
        | {"$defs": {"a/b~": {"items": {"anyOf": [INTEGER, {"$ref": "#/$defs/a~1b~0"}]}, "type": "array"}}},
        ['["a"]', "[1.5]", '[["a"]]', "[]"],
    ),
    "anyOf": ({"anyOf": [INTEGER, {"type": "boolean"}]}, ['"a"', "1.5"]),
    "oneOf by type": ({"oneOf": [INTEGER, STRING]}, ["true", "1.5"]),
    "oneOf by value": (
        {"oneOf": [{"type": "string", "enum": ["all"]}, {"type": "string", "pattern": "^[1-9][0-9]*$"}]},
        ['"none"', '"0"'],
    ),
    "oneOf by tag": ({"oneOf": [tagged("a"), tagged("b")]}, ['{"kind": "c"}', '{"n": 1}']),
    "oneOf by tag, referred to": (
        {
            "$defs": {"A": tagged("a"), "B": tagged("b")},
            "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}],
        },
        ['{"kind": "c"}'],
    ),
    "allOf of one": ({"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": INTEGER}, "default": 1}, ['"a"']),
    "$ref": ({"$ref": "#/definitions/x", "definitions": {"x": INTEGER}, "title": "X"}, ['"a"']),
    "recursion": (TREE, ['{"value": "x"}', '{"left": {}, "value": 1}']),
    "unevaluatedProperties false": (
        {"type": "object", "properties": {"a": INTEGER}, "unevaluatedProperties": False},
        ['{"a": 1, "b": 2}'],
    ),
    "implied object": ({"properties": {"a": INTEGER}, "required": ["a"]}, ["{}", '{"a": "x"}']),
    "annotations": (
        {"type": "integer", "title": "T", "description": "D", "default": 1, "examples": ["x"], "x-own": {}},
        ['"x"'],
    ),
    "annotations of other programs": (
        {
            **{"type": "array", "items": INTEGER, "min_items": 3, "x-order": 1, "example": {"type": "null"}},
            **{"nullable": True, "discriminator": {"propertyName": "a"}, "x-verbatim-patterns": ["a"]},
        },
        ["null", '["a"]'],
    ),
}

LIST = {
    "type": "object",
    "properties": {"next": {"anyOf": [{"$ref": "#/$defs/list"}, {"type": "null"}]}, "n": INTEGER},
    "required": ["next", "n"],
}
# A schema whose keywords have to be merged, or need an automaton; texts that it allows, and that it does not.
MERGED: dict[str, tuple[Any, list[str], list[str]]] = {
    "no type": ({"minimum": 5}, ["5", "7.5"], ["4"]),
    "allOf": ({"allOf": [{"type": "number"}, INTEGER, {"minimum": 3}]}, ["3"], ["2", "3.5"]),
    "allOf of objects": (
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
                {"properties": {"a": {"minimum": 1}, "b": STRING}, "required": ["b"]},
            ]
        },
        ['{"a": 1, "b": "x"}'],
        ['{"a": 0, "b": "x"}', '{"a": 1}', '{"b": "x"}', '{"a": 1, "b": 2}'],
    ),
    "allOf of an object that is closed": (
        {
            "allOf": [
                {"type": "object", "properties": {"a": INTEGER}, "additionalProperties": False},
                {"properties": {"a": {"maximum": 9}, "b": INTEGER}},
            ]
        },
        ["{}", '{"a": 9}'],
        ['{"b": 1}', '{"a": 10}', '{"a": 1, "b": 1}'],
    ),
    "allOf of one $ref and siblings": (
        {"allOf": [{"$ref": "#/$defs/x"}], "default": 3, "minimum": 2, "$defs": {"x": INTEGER}},
        ["2"],
        ["1", "2.5"],
    ),
    "$ref and siblings": (
        {
            "properties": {
                "a": {"$ref": "#/$defs/x", "maxLength": 2, "description": "D"},
                "b": {"$ref": "#/$defs/x"},
            },
            "$defs": {"x": {"type": "string", "minLength": 1}},
        },
        ['{"a": "ab", "b": "abc"}'],
        ['{"a": "abc"}', '{"a": ""}', '{"b": ""}'],
    ),
    "a recursive $ref and siblings": (
        {"$ref": "#/$defs/list", "properties": {"n": {"minimum": 1}}, "$defs": {"list": LIST}},
        ['{"next": {"next": null, "n": 0}, "n": 1}'],
        ['{"next": null, "n": 0}', '{"next": {"next": null, "n": "a"}, "n": 1}'],
    ),
    "two recursive schemas": (
        {
            "allOf": [{"$ref": "#/$defs/list"}, {"$ref": "#/$defs/small"}],
            "$defs": {
                "list": LIST,
                "small": {
                    "properties": {
                        "n": {"maximum": 5},
                        "next": {"anyOf": [{"$ref": "#/$defs/small"}, {"type": "null"}]},
                    }
                },
            },
        },
        ['{"next": {"next": null, "n": 5}, "n": 5}'],
        ['{"next": {"next": null, "n": 6}, "n": 5}', '{"next": null, "n": 6}'],
    ),
    "a $ref into what is merged": (
        {
            "allOf": [{"properties": {"a": {"type": "integer", "minimum": 3}}}, {"required": ["b"]}],
            "properties": {"b": {"$ref": "#/allOf/0/properties/a"}},
            "type": "object",
        },
        ['{"b": 3}'],
        ["{}", '{"b": 2}'],
    ),
    "required in anyOf": (
        {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}}
        | {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        ['{"a": 1}', '{"b": 1}', '{"a": 1, "b": 1}'],
        ["{}"],
    ),
    "type beside anyOf": (
        {"type": "integer", "anyOf": [{"minimum": 5}, {"maximum": -5}]},
        ["5", "-5"],
        ["4", "5.5"],
    ),
    "bounds beside oneOf": (
        {"maximum": 10, "oneOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]},
        ["5", "10", "null"],
        ["4", "11"],
    ),
    "a type beside values of others": ({"type": "string", "enum": ["s", None]}, ['"s"'], ["null"]),
    "a format beside enum": ({"type": "string", "format": "uri", "enum": ["a b"]}, ['"a b"'], ['"a"']),
    "a number of any items": (
        {"type": "array", "minItems": 1, "maxItems": 2},
        ['[{"a": 1}]', '[1, "x"]'],
        ["[]", "[1, 2, 3]"],
    ),
    "an object beside an example": (
        {"type": "object", "example": {"a": 1}},
        ['{"a": [1], "b": "x"}', "{}"],
        ["1"],
    ),
    "an array beside an example": (
        {"type": ["array", "null"], "example": [1]},
        ['[{"a": 1}]', "null"],
        ["1"],
    ),
    "more items than the first ones": (
        {"type": "array", "prefixItems": [{"type": "integer"}], "minItems": 2},
        ['[1, "x"]'],
        ["[1]", '["x", 1]'],
    ),
    "bounds beside enum": ({"type": "integer", "enum": [1, 7, "a"], "minimum": 5}, ["7"], ["1", '"a"']),
    "undeclared required": (
        {"type": "object", "properties": {"a": INTEGER}, "required": ["b"]},
        ['{"b": null}', '{"a": 1, "b": "x"}'],
        ["{}", '{"a": 1}'],
    ),
    "$ref in propertyNames": (
        {"type": "object", "propertyNames": {"$ref": "#/$defs/x"}, "$defs": {"x": {"enum": ["k"]}}},
        ['{"k": 1}'],
        ['{"l": 1}'],
    ),
    "names of a pattern and a length": (
        {"type": "object", "propertyNames": {"pattern": "^[a-z]+$", "maxLength": 3}},
        ['{"abc": 1}'],
        ['{"abcd": 1}', '{"A": 1}', '{"": 1}'],
    ),
    "pattern and length": (
        {"type": "string", "pattern": "^[a-c]+$", "minLength": 2, "maxLength": 3},
        ['"ab"', '"abc"'],
        ['"a"', '"abca"', '"ad"'],
    ),
    "pattern and length, or null": (
        {"type": ["string", "null"], "pattern": "^[a-c]+$", "maxLength": 3},
        ["null", '"abc"'],
        ['"abcd"', '"d"'],
    ),
    "an open pattern and a large length": (
        {"type": "string", "pattern": r"^\S+$", "minLength": 1, "maxLength": 100_000},
        ['"a😀ß"'],
        ['"a b"', '""'],
    ),
    "format and length": (
        {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2083},
        ['"https://example.com/a?b=c"'],
        ['""', '"a b"'],
    ),
    "format and the pattern of zod": (
        {
            "type": "string",
            "format": "email",
            "pattern": "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]"
            "@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
        },
        ['"a.b@example.com"'],
        ['".a@example.com"', '"a..b@example.com"', '"a@b"'],
    ),
    "two patterns of one string": (
        {"allOf": [{"type": "string", "pattern": "^[a-c]*$"}, {"pattern": "^[b-d]*$"}]},
        ['"bc"', '""'],
        ['"a"', '"d"'],
    ),
    "three patterns": (
        {"allOf": [{"pattern": "^[a-c]*$"}, {"pattern": "^[b-d]*$"}, {"pattern": "b"}], "type": "string"},
        ['"b"'],
        ['"c"', '"ab"'],
    ),
    "a pattern with quotes": ({"type": "string", "pattern": '^"\\\\\n$'}, [r'"\"\\\n"'], ['"""', '"a"']),
    "lookaheads": (
        {"type": "string", "pattern": r"^(?=.*[A-Z])(?=.*\d)(?!.*x)[A-Za-z\d]{3,}$"},
        ['"aB1"'],
        ['"ab1"', '"aB1x"', '"A1"'],
    ),
    "names of groups": (
        {"type": "string", "pattern": r"^(?P<y>\d{4})-(?<m>\d\d)$"},
        ['"2024-01"'],
        ['"2024-1"', '"y"'],
    ),
    "a pattern that only its search can match": (
        {"type": "string", "pattern": r"^\S", "minLength": 3},
        ['"a b"'],
        ['" ab"', '"ab"'],
    ),
    "multipleOf a number": ({"type": "number", "multipleOf": 0.25}, ["0.5", "-1.75", "3", "2.50"], ["0.3"]),
    "multipleOf and bounds": (
        {"type": "integer", "multipleOf": 7, "minimum": -7, "exclusiveMaximum": 21},
        ["-7", "0", "14"],
        ["-14", "21", "15", "07"],
    ),
    "cents": (
        {"type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 99.5},
        ["0", "1.13", "99.5", "0.50"],
        ["-1", "99.51", "1.125", "1."],
    ),
    "multipleOf a million": (
        {"type": "integer", "multipleOf": 1_000_000},
        ["0", "1000000", "-12000000"],
        ["1", "100000", "1000001"],
    ),
    "multipleOf a fraction": ({"type": "integer", "multipleOf": 1.5}, ["3", "-6"], ["1", "1.5"]),
    "unique items": (
        {
            "type": "array",
            "items": {"enum": ["a", 1, None]},
            "uniqueItems": True,
            "minItems": 1,
            "maxItems": 2,
        },
        ['["a"]', '[null, "a"]'],
        ["[]", "[1, 1]", '["a", 1, null]', '["b"]'],
    ),
    "unique items of a $ref": (
        {
            "type": "array",
            "items": {"$ref": "#/$defs/color"},
            "uniqueItems": True,
            "$defs": {"color": {"type": "string", "enum": [str(n) for n in range(20)]}},
        },
        ["[]", '["0", "7", "19"]'],
        ['["0", "0"]', '["7", "0", "7"]'],
    ),
    "a set of strings": (
        {"type": "array", "items": STRING, "uniqueItems": True},
        ["[]", '["a"]', '["a", "b", "ab"]', r'["\"", "\n", "b, \"a\", ", "a"]'],
        ['["a", "a"]', '["", "b", ""]', "[1]", r'["\u0061"]'],
    ),
    "a set of any values": (
        {"type": "array", "uniqueItems": True},
        ["[]", '[1, "1", 1.5, true, null, ""]'],
        ["[1, 1]", "[1.0]", "[1, 2, 1]", "[null, null]", '["a", true, "a"]', "[-0]"],
    ),
    "all of a small set": (
        {"type": "array", "items": {"type": "integer", "minimum": 9, "maximum": 11}, "uniqueItems": True}
        | {"minItems": 3},
        ["[9, 10, 11]", "[11, 9, 10]"],
        ["[9, 10]", "[9, 10, 9]", "[9, 10, 11, 9]"],
    ),
    "a set of objects": (
        {
            "type": "array",
            "uniqueItems": True,
            "items": {"$ref": "#/$defs/x"},
            "$defs": {
                "x": {
                    "type": "object",
                    "properties": {"a": {"enum": ["é", "è"]}, "b": {"type": "boolean"}},
                    "required": ["a"],
                }
            },
        },
        ['[{"a": "é"}, {"a": "è"}, {"a": "é", "b": true}]'],
        ['[{"a": "é"}, {"a": "é"}]', '[{"b": true}]', '[{"a": "é", "b": true}, {"a": "é", "b": true}]'],
    ),
    "a set of tuples": (
        {"type": "array", "uniqueItems": True, "minItems": 4}
        | {"items": {"type": "array", "prefixItems": [{"type": "boolean"}, {"enum": [1, 2]}], "minItems": 2}},
        ["[[true, 1], [true, 2], [false, 1], [false, 2]]"],
        ["[[true, 1], [true, 1]]", "[[true]]"],
    ),
    "a set of lists": (
        {"type": "array", "uniqueItems": True, "items": {"type": "array", "items": {"const": "a"}}},
        ['[[], ["a"], ["a", "a"]]'],
        ["[[], []]", '[["a"], ["a"]]', '[["b"]]'],
    ),
    "sets in sets of properties": (
        {
            "type": "array",
            "items": {
                "properties": {
                    "a": {"type": ["array", "null"], "items": STRING, "uniqueItems": True},
                    "b": {"type": "array", "items": INTEGER, "uniqueItems": True, "maxItems": 2},
                    "c": {"type": "array", "items": INTEGER},
                }
            },
        },
        ['[{"a": ["x"], "b": [1, 2], "c": [1, 1]}, {"a": ["x"], "b": [1, 2]}, {"a": null}]'],
        ['[{"a": ["x", "x"]}]', '[{"b": [1, 1]}]', '[{"b": [1, 2, 3]}]', '[{"a": [1]}]'],
    ),
    "sets of first items with values of their own": (
        {
            "type": "array",
            "prefixItems": [{"enum": ["a", "b"]}, INTEGER],
            "items": STRING,
            "uniqueItems": True,
        },
        ["[]", '["a", 1, "b", "c"]'],
        ['["a", 1, "a"]', '["a", 1, "b", "b"]', '["a", 1, "c", "d", "a"]'],
    ),
    "a set of two constants and one more": (
        {"type": "array", "prefixItems": [{"const": "a"}, {"const": "b"}], "minItems": 2, "uniqueItems": True}
        | {"items": {"enum": ["a", "b", "c"]}},
        ['["a", "b"]', '["a", "b", "c"]'],
        ['["a"]', '["a", "b", "a"]', '["a", "b", "c", "c"]'],
    ),
    "sets after an empty one": (
        {
            "type": "array",
            "items": {"properties": {"a": {"type": "array", "items": STRING, "uniqueItems": True}}},
        },
        ['[{"a": []}, {"a": ["x"]}, {"a": ["x"]}]'],
        ['[{"a": []}, {"a": ["x", "x"]}]'],
    ),
    "a set or a list": (
        {"anyOf": [{"type": "array", "items": STRING, "uniqueItems": True}, {"items": INTEGER}]},
        ["[1, 1]", '["a", "b"]'],
        ['["a", "a"]', '[1, "a"]'],
    ),
    "a set of sets that hold themselves": (
        {"type": "array", "items": {"$ref": "#/$defs/y"}, "uniqueItems": True}
        | {"$defs": {"y": {"type": "array", "items": {"$ref": "#/$defs/y"}}}},
        ["[]", "[[], [[]], [[], []]]"],
        ["[[], []]", "[[[]], [[]]]"],
    ),
    "oneOf of schemas without a type": (
        {"oneOf": [{"minimum": 5}, STRING]},
        ["5", "7.25"],
        ['"a"', "4"],
    ),
    "oneOf of a value that also matches the other": (
        {"oneOf": [{"type": "string", "enum": ["7", "x"]}, {"type": "string", "pattern": "^[1-9]"}]},
        ['"x"', '"8"', '"77"'],
        ['"7"', '"y"'],
    ),
    "oneOf of an object and one with a tag": (
        {"oneOf": [{"type": "object", "properties": {"kind": STRING}}, tagged("a")]},
        ['{"kind": "b"}', "{}"],
        ['{"kind": "a"}', '{"kind": "a", "n": 1}'],
    ),
    "oneOf by which keys are required and forbidden": (
        {
            "oneOf": [
                {"type": "object", "properties": {name: INTEGER}, "required": [name]}
                | {"additionalProperties": False}
                for name in ("a", "b")
            ]
        },
        ['{"a": 1}', '{"b": 1}'],
        ["{}", '{"a": 1, "b": 1}'],
    ),
    "oneOf of lists": (
        {"oneOf": [{"type": "array", "items": STRING}, {"type": "array", "items": {"type": "number"}}]},
        ['["a"]', "[1, 2.5]"],
        ["[]", '["a", 1]'],
    ),
    "a lookahead anywhere": (
        {"type": "string", "pattern": r"^a(?!b)[a-z]*(?=\d).{2}$"},
        ['"acd1x"', '"a12"'],
        ['"abc1x"', '"acdx"'],
    ),
    "a word boundary": (
        {"type": "string", "pattern": r"\bfoo\b"},
        ['"foo"', '"a foo."', '"-foo"'],
        ['"afoo"', '"foo_"', '"fo"'],
    ),
    "a pattern that may match anywhere": (
        {"type": "string", "pattern": r"\.pdf$"},
        ['".pdf"', '"a/b.pdf"'],
        ['"a.pdfx"', '"pdf"'],
    ),
    "a pattern that ignores case": (
        {"type": "string", "pattern": "(?i)^é[a-c]$"},
        ['"éa"', '"ÉB"'],
        ['"ed"', '"éd"'],
    ),
    "signs that other languages read as sets": (
        {"type": "string", "pattern": "^[+--&&~~||]$"},
        ['"+"', '","', '"&"', '"~"', '"|"'],
        ['"d"'],
    ),
    "a script of Unicode": (
        {"type": "string", "pattern": "^\\p{Script=Greek}+\\P{Script=Latin}$"},
        ['"αβ1"'],
        ['"a1"', '"αa"'],
    ),
    "unevaluated properties beside $ref": (
        {"$ref": "#/$defs/x", "properties": {"b": INTEGER}, "unevaluatedProperties": False}
        | {"$defs": {"x": {"type": "object", "properties": {"a": STRING}, "required": ["a"]}}},
        ['{"a": "x", "b": 1}', '{"a": "x"}'],
        ["{}", '{"a": "x", "c": 1}'],
    ),
    "unevaluated items, which see none that another schema names": (
        {"type": "array", "allOf": [{"prefixItems": [True, INTEGER]}, {"unevaluatedItems": INTEGER}]},
        ["[]", "[1, 2, 3]"],
        ['["a"]', '[1, "a"]', '[1, 2, "a"]'],
    ),
    "a record of an enum": (
        {"type": "object", "propertyNames": {"enum": ["low", "high"]}, "additionalProperties": INTEGER}
        | {"required": ["high"]},
        ['{"low": 1, "high": 2}', '{"high": 2}'],
        ["{}", '{"low": 1}', '{"high": 1, "high": 2}', '{"other": 1, "high": 2}'],
    ),
    "patterns of names that exclude each other": (
        {"type": "object", "patternProperties": {"^a": INTEGER, "^b": STRING}}
        | {"additionalProperties": {"type": "null"}},
        ['{"a": 1, "b1": "x", "c": null}'],
        ['{"a": "x"}', '{"b": 1}', '{"c": 1}'],
    ),
    "an email of a length": (
        {"type": "string", "format": "email", "maxLength": 12},
        ['"ab@b.org"'],
        ['"a@example.org"'],
    ),
    "not a type": ({"not": INTEGER}, ["null", '"a"', "[1]"], ["1", "2.5e0x"]),
    "not an integer": (
        {"type": ["number", "null"], "not": INTEGER, "maximum": 3},
        ["0.5", "-2.25", "null"],
        ["1", "1.0", "3.5", "0.50"],
    ),
    "one of integer and number": ({"oneOf": [INTEGER, {"type": "number"}]}, ["1.5"], ["1", "2.0"]),
    "not an integer among values": ({"enum": [1, 1.5, 2.0], "not": INTEGER}, ["1.5"], ["1", "2.0"]),
    "not a constant": ({"type": "string", "not": {"const": "a.b"}}, ['"a-b"', '"a"', '""'], ['"a.b"']),
    "not one of the values": (
        {"type": ["string", "integer", "boolean"], "not": {"enum": ["a", 3, 5, True, None]}},
        ['"b"', "2", "4", "6", "false"],
        ['"a"', "3", "5", "true", "null"],
    ),
    "not a pattern": (
        {"type": "string", "not": {"pattern": "a"}, "maxLength": 2},
        ['"bc"'],
        ['"ba"', '"bcd"'],
    ),
    "not both properties": (
        {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "not": {"required": ["a", "b"]}},
        ["{}", '{"a": 1}', '{"b": 1}'],
        ['{"a": 1, "b": 1}'],
    ),
    "not any of the types": ({"not": {"anyOf": [STRING, {"type": "number"}]}}, ["null"], ['"a"', "1"]),
    "not not": ({"not": {"not": INTEGER}}, ["1"], ["null"]),
    "not within bounds": ({"type": "integer", "not": {"minimum": 3, "maximum": 5}}, ["2", "6"], ["3", "5"]),
    "if then else": (
        {
            "type": "object",
            "properties": {"kind": {"enum": ["a", "b", "c"]}, "n": INTEGER},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": "a"}}},
            "then": {"required": ["n"]},
            "else": {"properties": {"n": {"minimum": 5}}},
        },
        ['{"kind": "a", "n": 1}', '{"kind": "b"}', '{"kind": "c", "n": 5}'],
        ['{"kind": "a"}', '{"kind": "b", "n": 4}', "{}"],
    ),
    "if then of a schema elsewhere": (
        {
            "type": "object",
            "properties": {"a": INTEGER, "b": INTEGER},
            "allOf": [{"if": {"$ref": "#/$defs/large"}, "then": {"required": ["b"]}}],
            "$defs": {"large": {"properties": {"a": {"minimum": 10}}, "required": ["a"]}},
        },
        ['{"a": 9}', '{"a": 10, "b": 1}', "{}"],
        ['{"a": 10}'],
    ),
    "dependentRequired": (
        {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, "dependentRequired": {"a": ["b"]}},
        ["{}", '{"b": 1}', '{"a": 1, "b": 1}'],
        ['{"a": 1}'],
    ),
    "dependentSchemas": (
        {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}}
        | {"dependentSchemas": {"a": {"properties": {"b": {"maximum": 3}}}}},
        ["{}", '{"b": 9}', '{"a": 1, "b": 3}'],
        ['{"a": 1, "b": 4}'],
    ),
    "contains": (
        {"type": "array", "items": {"type": ["integer", "string"]}, "contains": INTEGER, "maxItems": 3},
        ["[1]", '[1, "a", 2]'],
        ["[]", '["a"]', "[1, 2, 3, 4]", "[null]"],
    ),
    "contains so often": (
        {"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 2},
        ["[1, 1]", '[1, 1, "a"]'],
        ["[1]", "[1, 1, 1]", "[2, 1]"],
    ),
    "patternProperties beside properties": (
        {"type": "object", "properties": {"a": INTEGER, "x-a": {}}, "patternProperties": {"^x-": STRING}},
        ['{"a": 1, "x-a": "b"}', "{}"],
        ['{"x-a": 1}', '{"x-b": "c"}', '{"a": "b"}'],
    ),
    "patternProperties that required names": (
        {"type": "object", "patternProperties": {"^x-": STRING}, "required": ["x-a", "b"]},
        ['{"x-a": "c", "b": 1}', '{"x-a": "c", "b": 1, "x-b": "d"}'],
        ['{"x-a": "c"}', '{"x-a": 1, "b": 1}', '{"b": 1}'],
    ),
    "required and propertyNames of what is no object": (
        {"type": "array", "items": INTEGER, "required": ["a"], "propertyNames": {"minimum": 1}},
        ["[1]", "[]"],
        ["{}", '["a"]'],
    ),
    "an enum of objects beside restrictions of their members": (
        {"enum": [{"a": "b"}, {"a": 1}, {"b": "x"}, {"c": 1}], "properties": {"a": STRING}}
        | {"patternProperties": {"^b": {"minLength": 2}}, "additionalProperties": {"minimum": 1}},
        ['{"a": "b"}', '{"c": 1}'],
        ['{"a": 1}', '{"b": "x"}'],
    ),
    "an enum of arrays beside restrictions of their items": (
        {"enum": [[1, "a"], ["a"], [1, 2]], "prefixItems": [INTEGER], "items": STRING},
        ['[1, "a"]'],
        ['["a"]', "[1, 2]"],
    ),
    "propertyNames beside properties": (
        {"type": "object", "properties": {"abc": INTEGER, "a": INTEGER}, "propertyNames": {"maxLength": 2}},
        ['{"a": 1}', "{}"],
        ['{"abc": 1}', '{"a": "b"}'],
    ),
    "a property without a value": (
        {"type": "object", "properties": {"a": INTEGER, "b": False}, "additionalProperties": True},
        ['{"a": 1}'],
        ['{"b": 1}', '{"a": 1, "b": null}'],
    ),
    "items without a value": ({"type": "array", "items": {"not": {}}}, ["[]"], ["[1]", "[[]]"]),
    "a $ref to any place": (
        {"type": "object", "properties": {"a": {"$ref": "#/components/x~1y/0"}}, "required": ["a"]}
        | {"components": {"x/y": [{"type": "integer", "minimum": 3}]}},
        ['{"a": 3}'],
        ['{"a": 2}', "{}"],
    ),
    "characters beyond ASCII in a pattern": (
        {"type": "string", "pattern": "^Größe: .+$"},
        ['"Größe: 1 m"', '"Größe: é"'],
        ['"Größe: "', '"Größe: 1"2"', '"Größe: 1\n"', '"Größe: \\"'],
    ),
    "names of letters and marks of all scripts": (
        {"type": "string", "pattern": r"^\p{L}[\p{L}\p{M}'-]*( \p{L}[\p{L}\p{M}'-]*)*$"},
        ['"Zoë O\'Brien"', '"李 小龙"'],
        ['"1a"', '"a  b"', '"a1"'],
    ),
    "a bracket that closes no class in a pattern": (
        {"type": "string", "pattern": "^\\[.+]$"},
        ['"[a]"', '"[]]"'],
        ['"[a"b]"', '"[]"', '"[\n]"', '"["]"'],
    ),
    "alternatives that are repeated without a maximum": (
        {"type": "string", "pattern": "^(?:ax+|b){2,}$"},
        ['"bb"', '"axxb"', '"baxax"'],
        ['"bbx"', '"axbx"', '"ax"'],
    ),
    "alternatives that are repeated from one time": (
        {"type": "string", "pattern": "^(?:ax+|b){1,}(c(?:d|ex*)){0,}$"},
        ['"b"', '"axb"', '"bcdcexx"'],
        ['"bbx"', '"axbx"', '""', '"bcdx"'],
    ),
    "a class of quotes alone in a pattern": (
        {"type": "string", "pattern": '^[^a]["]+$'},
        ['"b\\""', '"\\"\\"\\""'],
        ['"b""', '"a\\""', '"b"'],
    ),
    "a class of control characters alone in a pattern": (
        {"type": "string", "pattern": "^.[\\t\\x00-\\x1f]$"},
        ['"b\\t"'],
        ['"b\t"', '"b"', '""\\t"'],
    ),
    "an alternative of a backslash in a class": (
        {"type": "string", "pattern": "^(?:a[\\\\]|b)$"},
        ['"b"', '"a\\\\"'],
        ['"a"', '"a\\"'],
    ),
    "characters beyond ASCII that a class excludes": (
        {"type": "string", "pattern": "^[^é-ü😀]+$"},
        ['"a日"'],
        ['"é"', '"😀"', '"a"b"', '"\n"'],
    ),
    "characters beyond ASCII in patterns of names": (
        {"type": "object", "patternProperties": {"^é.+$": INTEGER}, "additionalProperties": False},
        ['{"éa": 1}'],
        ['{"é"": 1}', '{"a": 1}', '{"é": 1}'],
    ),
    "characters beyond ASCII in propertyNames": (
        {"type": "object", "propertyNames": {"pattern": "^[^é]+$"}, "additionalProperties": INTEGER},
        ['{"a": 1}'],
        ['{"a"b": 1}', '{"é": 1}'],
    ),
    "categories of Unicode": (
        {"type": "string", "pattern": "^\\p{Lu}[\\p{Ll}\\d -]*\\P{L}$"},
        ['"Éa1 -!"', '"Ж1"'],
        ['"éa1"', '"É日1"', '"Éa"', '"É""'],
    ),
    "a category of Unicode beside a length": (
        {"type": "string", "pattern": "^\\p{Letter}+$", "maxLength": 2},
        ['"日é"'],
        ['"abc"', '"a1"', '""'],
    ),
    "names of properties where there may be none": (
        {"type": "object", "propertyNames": {"pattern": "^[a-c]"}, "additionalProperties": False},
        ["{}"],
        ['{"a": 1}', '{"b": 4, "c": false}'],
    ),
    "names of properties where none may be unevaluated": (
        {"type": "object", "propertyNames": {"pattern": "^[a-c]"}, "unevaluatedProperties": False},
        ["{}"],
        ['{"a": 1}'],
    ),
    "names of properties beside one that another needs": (
        {"type": "object", "propertyNames": {"pattern": "^[a-c]"}, "additionalProperties": False}
        | {"dependentRequired": {"c": ["a"]}},
        ["{}"],
        ['{"b": 1}', '{"c": 1}'],
    ),
    "no names of properties": (
        {"type": ["object", "null"], "propertyNames": False},
        ["{}", "null"],
        ['{"a": 1}'],
    ),
    "no names of properties that must be some": (
        {"type": ["object", "null"], "propertyNames": False, "minProperties": 1},
        ["null"],
        ["{}", '{"a": 1}'],
    ),
    "unique items of which none may be unevaluated": (
        {"type": "array", "uniqueItems": True, "unevaluatedItems": False},
        ["[]"],
        ["[false]", "[1, 2]"],
    ),
    "unique items of unevaluated ones": (
        {"type": "array", "uniqueItems": True, "unevaluatedItems": {"type": "boolean"}},
        ["[]", "[false, true]"],
        ["[1]", "[true, true]"],
    ),
    "a $ref into a list": (
        {
            "type": "object",
            "properties": {
                "a": {"minLength": 2, "anyOf": [STRING, INTEGER]},
                "b": {"$ref": "#/properties/a/anyOf/0"},
                "c": {
                    "type": "array",
                    "items": {"anyOf": [INTEGER, {"$ref": "#/properties/c/items/anyOf/0"}]},
                },
            },
            "required": ["b"],
        },
        ['{"b": "x"}', '{"a": "xy", "b": ""}', '{"b": "x", "c": [1]}'],
        ['{"a": "x", "b": "x"}', '{"b": 1}', '{"b": "x", "c": ["x"]}'],
    ),
    "a list in a $ref that comes back to it": (
        {"anyOf": [{"type": "array", "items": {"$ref": "#/anyOf/0"}}, INTEGER]},
        ["[]", "[[], [[]]]", "3"],
        ["[3]"],
    ),
    "integer bounds that are not whole": (
        {"type": ["integer", "null"], "minimum": 0.5, "exclusiveMaximum": 2.5},
        ["1", "2", "null"],
        ["0", "3"],
    ),
    "an integer's bounds of more than 64 bits": (
        {"type": "integer", "minimum": 9, "maximum": 2**64 - 1},
        ["9", "999999999999999999"],
        ["8", "18446744073709551616"],
    ),
    "number bounds that are close to each other": (
        {"type": "number", "exclusiveMinimum": 0, "maximum": 1e-7},
        ["0.0000001", "0.000000001"],
        ["", "0", "0.1", "0.00000011"],
    ),
    "alternatives between whose bounds lies no number": (
        {"anyOf": [{"type": "number", "minimum": 5, "exclusiveMaximum": 5}, {"type": "boolean"}]},
        ["true"],
        ["", "5"],
    ),
    "exclusive bounds beside a multiple with decimals": (
        {"type": "number", "multipleOf": 0.25, "exclusiveMinimum": 12.5, "exclusiveMaximum": 14.5},
        ["12.75", "14.25"],
        ["12.5", "14.5", "12.4"],
    ),
    "exclusive bounds beside a multiple of integers": (
        {"type": "integer", "multipleOf": 0.5, "exclusiveMinimum": -3, "exclusiveMaximum": 4},
        ["-2", "3"],
        ["-3", "4"],
    ),
    "a $ref into a condition": (
        {"type": ["integer", "string"], "not": {"type": "string"}, "anyOf": [{"$ref": "#/not"}, INTEGER]},
        ["1"],
        ['"a"', "null"],
    ),
    "a $ref by $anchor and by the root's $id": (
        {
            "$id": "https://example.com/root.json",
            "prefixItems": [{"$ref": "#n"}, {"$ref": "https://example.com/root.json#/$defs/n"}],
            "minItems": 2,
            "$defs": {"n": {"$anchor": "n", "type": "integer"}},
        },
        ["[1, 2]"],
        ['[1, "a"]', '["a", 1]', "[1]"],
    ),
    "a $ref by an $id inside, to a pointer and an anchor in it": (
        {
            "$id": "https://example.com/a/root.json",
            "prefixItems": [
                {"$ref": "item.json"},
                {"$ref": "/a/item.json#/$defs/n"},
                {"$ref": "item.json#s"},
                {"$ref": "#/$defs/n"},
            ],
            "minItems": 4,
            "$defs": {
                "n": {"type": "boolean"},
                "x": {
                    "$id": "item.json",
                    "type": "array",
                    "items": {"$ref": "#/$defs/n"},
                    "$defs": {"n": {"type": "integer"}, "s": {"$anchor": "s", "type": "string"}},
                },
            },
        },
        ['[[1], 2, "a", true]'],
        ['[[true], 2, "a", true]', '[[1], true, "a", true]', "[[1], 2, 3, true]", '[[1], 2, "a", 4]'],
    ),
    "a $ref by an id of Draft 4 inside": (
        {
            "$schema": "http://json-schema.org/draft-04/schema#",
            "items": {"$ref": "n"},
            "definitions": {
                "x": {"id": "n", "allOf": [{"$ref": "#/definitions/y"}], "definitions": {"y": INTEGER}}
            },
        },
        ["[1]"],
        ['["a"]'],
    ),
    "id is an annotation where it is no keyword": (
        {"items": {"id": "x", "anyOf": [{"$ref": "#/$defs/n"}]}, "$defs": {"n": INTEGER}},
        ["[1]"],
        ['["a"]'],
    ),
    "$dynamicRef in one document": (
        {"$dynamicAnchor": "node", "type": "array", "items": {"$dynamicRef": "#node"}},
        ["[[], [[]]]"],
        ["[1]", "1"],
    ),
    "one item is unique": (
        {"type": "array", "items": STRING, "uniqueItems": True, "maxItems": 1},
        ['["a"]'],
        [],
    ),
}

REFUSED: dict[str, tuple[Any, str]] = {
    "not of what cannot be said in other words": (
        {"properties": {"a": {"type": "number", "not": {"multipleOf": 3}}}},
        "#/properties/a: not is not supported",
    ),
    "if of what cannot be said in other words": (
        {"type": "array", "if": {"uniqueItems": True}, "then": {"minItems": 1}},
        "#: if is not supported",
    ),
    "too many negations": ({"not": {"anyOf": [{"const": n} for n in range(2000)]}}, "too many schemas"),
    "a negation of itself": ({"$defs": {"x": {"not": {"$ref": "#/$defs/x"}}}, "$ref": "#/$defs/x"}, "itself"),
    "contains too often": (
        {"type": "array", "contains": INTEGER, "minContains": 17},
        "minContains may be 16",
    ),
    "unique items with items of their own": (
        {"type": "array", "uniqueItems": True}
        | {"items": {"type": "array", "items": INTEGER, "uniqueItems": True}},
        "uniqueItems inside an item",
    ),
    "unique items of any object": (
        {"properties": {"a": {"type": "array", "items": {"type": "object"}, "uniqueItems": True}}},
        "#/properties/a/items: items beside uniqueItems may be objects only if",
    ),
    "more unique items than there are": (
        {"type": "array", "items": {"enum": [1, 1.0, "a"]}, "uniqueItems": True, "minItems": 3},
        "minItems is 3 beside uniqueItems, where there are 2 different items",
    ),
    "uniqueItems that is no boolean": ({"type": "array", "uniqueItems": 1}, "has to be a boolean"),
    "$dynamicRef": ({"$dynamicRef": "#x", "$defs": {"y": {"$id": "http://example.com/y"}}}, "dynamicRef"),
    "$dynamicRef to no schema": ({"$dynamicRef": "#x"}, "names no schema"),
    "empty types": ({"type": []}, "names no type"),
    "enum against type": ({"type": "string", "enum": [1, None]}, "contradict"),
    "const and enum": ({"const": 1, "enum": [2]}, "contradict"),
    "contradicting types": ({"allOf": [INTEGER, STRING]}, "contradict"),
    "a required property without a value": (
        {"allOf": [{"properties": {"a": INTEGER}}, {"properties": {"a": STRING}, "required": ["a"]}]}
        | {"type": "object"},
        "contradict",
    ),
    "a back reference": ({"items": {"type": "string", "pattern": r"(a)\1"}}, "#/items: .*back reference"),
    "a pattern that matches nothing": ({"type": "string", "pattern": "a$b"}, "no text matches it"),
    "pattern against length": ({"type": "string", "pattern": "^aa$", "maxLength": 1}, "no value matches"),
    "no multiple between": ({"type": "integer", "multipleOf": 7, "minimum": 8, "maximum": 13}, "no integer"),
    "two formats": (
        {"allOf": [{"type": "string", "format": "email"}, {"format": "uri"}]},
        "format 'email' beside 'uri'",
    ),
    "unevaluated beside alternatives": (
        {"anyOf": [{"properties": {"a": INTEGER}}, {"type": "null"}], "unevaluatedProperties": False},
        "unevaluatedProperties beside anyOf",
    ),
    "unevaluated beside a negation": (
        {
            "not": {"not": {"properties": {"a": {"const": 1}}, "required": ["a"]}},
            "unevaluatedProperties": False,
        },
        "unevaluatedProperties beside not",
    ),
    "unevaluated beside a condition of another schema": (
        {"$ref": "#/$defs/x", "unevaluatedProperties": False}
        | {"$defs": {"x": {"allOf": [{"if": {"required": ["a"]}, "then": {"properties": {"b": INTEGER}}}]}}},
        "#: unevaluatedProperties beside if",
    ),
    "unevaluated beside contains": (
        {"prefixItems": [True], "contains": STRING, "unevaluatedItems": False},
        "unevaluatedItems beside contains",
    ),
    "a multiple of many digits": (
        {"items": {"type": "integer", "multipleOf": 0.123456789}},
        "#/items: multipleOf may be a power of ten, or have the digits of a number up to 100000",
    ),
    "multiples of many digits": ({"type": "number", "multipleOf": 1234.5678}, "#: multipleOf may be"),
    "a list of schemas for one": ({"additionalProperties": [{}]}, "#/additionalProperties: a schema is"),
    "a list of schemas for names": ({"items": {"propertyNames": []}}, "#/items/propertyNames: a schema is"),
    "overlapping oneOf": ({"oneOf": [{"multipleOf": 3}, {"multipleOf": 2}]}, "no two can match"),
    "oneOf that always matches twice": ({"oneOf": [True, True]}, "contradict"),
    "foreign $ref": ({"$ref": "https://example.com/a.json"}, "names no schema"),
    "$ref to no $id": ({"$ref": "b", "$defs": {"a": {"$id": "a"}}}, "names no schema of this document"),
    "$ref to no schema": (
        {"type": "integer", "default": [1], "$defs": {}, "$ref": "#/default"},
        "names no schema",
    ),
    "$ref in a circle": (
        {
            "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}, INTEGER]}},
            "$ref": "#/$defs/a",
        },
        "nothing but itself",
    ),
    "two patterns": (
        {"type": "object", "patternProperties": {"a": INTEGER, "b": INTEGER}},
        "that one name may match together",
    ),
    "deep in the document": (
        {"type": "object", "properties": {"a": {"items": {"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}}}},
        "#/properties/a/items: oneOf",
    ),
    "too deep": (json.loads('{"type": "array", "items": ' * 40 + "{}" + "}" * 40), "nested 32 deep"),
    "too many values": ({"enum": list(range(5001))}, "5000 values"),
    "type in its place": (
        {"type": "object", "properties": {"a": {"type": "foo"}}},
        "#/properties/a: type 'foo' is none of array, boolean",
    ),
    "one type of many": ({"type": ["string", "foo"]}, "#: type 'foo' is none of"),
    "no number between": (
        {"items": {"type": "integer", "minimum": 3, "maximum": 1}},
        "#/items: minimum is gr",
    ),
    "no length between": (
        {"anyOf": [{"type": "array", "minItems": 3, "maxItems": 1}]},
        "#/anyOf/0: minItems is greater than maxItems",
    ),
    "bound of another type": (
        {"items": {"type": "integer", "minimum": "a"}},
        "#/items: minimum has to be a num",
    ),
    "count of another type": (
        {"items": {"type": "array", "minItems": True}},
        "#/items: minItems has to be a who",
    ),
    "enum of nothing": ({"items": {"enum": []}}, "#/items: enum has no value"),
    "malformed required": ({"type": "object", "required": "a"}, "required has to be a JSON array"),
    "malformed properties": ({"properties": []}, "properties has to be a JSON object"),
    "malformed names": ({"type": "object", "required": [1]}, "hold strings"),
    "no schema": ([1], "an object or a boolean"),
}


@pytest.mark.parametrize(("schema", "invalid"), ENFORCED.values(), ids=ENFORCED)
def test_a_schema_allows_nothing_that_it_forbids(schema: Any, invalid: list[str]) -> None:
    grammar = SchemaGrammar(schema)
    assert not [text for text in invalid if grammar.allows(text)]


@pytest.mark.parametrize("schema", [schema for schema, _ in ENFORCED.values()], ids=ENFORCED)
def test_what_a_schema_allows_is_valid_against_it(schema: Any) -> None:
    grammar, validator = SchemaGrammar(schema), jsonschema_rs.validator_for(schema)
    texts = grammar.texts(trials(15, whole=60))
    assert texts
    assert not [text for text in texts if not validator.is_valid(json.loads(text))]


@pytest.mark.parametrize(("schema", "valid", "invalid"), MERGED.values(), ids=MERGED)
def test_keywords_beside_each_other_all_hold(schema: Any, valid: list[str], invalid: list[str]) -> None:
    grammar, validator = SchemaGrammar(schema), jsonschema_rs.validator_for(schema)
    assert not [text for text in valid if not grammar.allows(text)]
    assert not [text for text in valid if not validator.is_valid(json.loads(text))]
    assert not [text for text in invalid if grammar.allows(text)]
    texts = grammar.texts(trials(8, whole=40))
    assert not [text for text in texts if not validator.is_valid(json.loads(text))]


# A schema of an older draft, texts that it allows, and that it does not.
OLDER: dict[str, tuple[Any, Any, list[str], list[str]]] = {
    "bounds that are exclusive by a boolean": (
        jsonschema_rs.Draft4Validator,
        {"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 6, "exclusiveMaximum": False},
        ["4", "6"],
        ["3", "7"],
    ),
    "items of a tuple": (
        jsonschema_rs.Draft7Validator,
        {"type": "array", "items": [INTEGER, STRING], "additionalItems": {"type": "boolean"}, "minItems": 2},
        ['[1, "a"]', '[1, "a", true, false]'],
        ['["a", 1]', '[1, "a", 1]', "[1]"],
    ),
    "dependencies": (
        jsonschema_rs.Draft7Validator,
        {"type": "object", "properties": {name: INTEGER for name in "abc"}}
        | {"dependencies": {"a": ["b"], "b": {"required": ["c"]}}},
        ["{}", '{"c": 1}', '{"a": 1, "b": 1, "c": 1}'],
        ['{"a": 1}', '{"a": 1, "b": 1}', '{"b": 1}'],
    ),
    "$recursiveRef": (
        jsonschema_rs.Draft201909Validator,
        {"type": "array", "items": {"$recursiveRef": "#"}},
        ["[[], [[]]]"],
        ["[1]"],
    ),
}


@pytest.mark.parametrize(("validator", "schema", "valid", "invalid"), OLDER.values(), ids=OLDER)
def test_keywords_of_older_drafts_hold(
    validator: Any, schema: Any, valid: list[str], invalid: list[str]
) -> None:
    grammar = SchemaGrammar(schema)
    assert not [text for text in valid if not grammar.allows(text)]
    assert not [text for text in invalid if grammar.allows(text)]
    texts = grammar.texts(20)
    assert texts
    assert not [text for text in texts if not validator(schema).is_valid(json.loads(text))]


# Texts of signs that grammars and JSON escape.
ESCAPED = ["größe", "ßa\xff0", "\x01a\x85f\x7fe", "€a😀b", "\\xdf \\\\xdfe", '"\\"']
ESCAPED_SCHEMAS = {
    **{f"value {text!a}": {"const": text} for text in ESCAPED},
    **{f"name {text!a}": {"properties": {text: INTEGER}, "required": [text]} for text in ESCAPED},
    "pattern": {"type": "string", "pattern": "^[ß-ía]e\\xdfe? ße$"},
}


@pytest.mark.parametrize("schema", ESCAPED_SCHEMAS.values(), ids=ESCAPED_SCHEMAS)
def test_signs_and_control_characters_are_written_as_json_has_them(schema: Any) -> None:
    validator, texts = jsonschema_rs.validator_for(schema), SchemaGrammar(schema).texts(20)
    assert texts
    assert not [text for text in texts if not validator.is_valid(json.loads(text))]


@pytest.mark.parametrize("name", sorted(FORMAT_PATTERNS))
def test_what_a_format_allows_is_of_that_format(name: str) -> None:
    schema = {"type": "string", "format": name}
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    grammar = SchemaGrammar(schema)
    texts = grammar.texts(trials(15, whole=60))
    assert texts
    assert not [text for text in texts if not validator.is_valid(json.loads(text))]


def test_one_of_two_formats_is_the_one_or_the_other() -> None:
    grammar = SchemaGrammar({"type": "string", "oneOf": [{"format": "date"}, {"format": "date-time"}]})
    assert grammar.allows('"2026-11-27"')
    assert grammar.allows('"2026-11-27T10:00:00Z"')
    assert not grammar.allows('"x"')


@pytest.mark.parametrize(("schema", "message"), REFUSED.values(), ids=REFUSED)
def test_a_schema_that_would_be_loosened_is_refused_by_name(schema: Any, message: str) -> None:
    with pytest.raises(InvalidGrammar, match=message):
        SchemaGrammar(schema)


@pytest.mark.parametrize("keyword", ["const", "minimum", "maxItems", "minProperties", "x-unknown"])
def test_an_integer_that_no_float_holds_is_refused_in_words(keyword: str) -> None:
    with pytest.raises(InvalidGrammar, match="300 digits"):
        parse_json(json.dumps({keyword: -(10**400)}))
    SchemaGrammar({"const": 10**298})


@pytest.mark.parametrize("source", ["{", "", "[" * 100_000])
def test_text_that_is_no_json_is_refused(source: str) -> None:
    with pytest.raises(InvalidGrammar):
        parse_json(source)


def test_annotations_may_be_of_any_type() -> None:
    schema = {
        "type": "integer",
        "title": 5,
        "$comment": [],
        "examples": "x",
        "deprecated": "no",
        "default": {},
    }
    assert SchemaGrammar(schema).allows("1")


def test_a_name_that_looks_like_a_keyword_is_a_name() -> None:
    names = {"not": INTEGER, "if": STRING, "$ref": INTEGER, "uniqueItems": {"type": "boolean"}}
    grammar = SchemaGrammar({"type": "object", "properties": names, "required": ["not"]})
    assert grammar.allows('{"not": 1, "if": "a", "$ref": 2, "uniqueItems": true}')
    for text in ("{}", '{"not": "a"}', '{"not": 1, "if": 1}', '{"not": 1, "uniqueItems": 1}'):
        assert not grammar.allows(text), text


NODE = {"type": "object", "properties": {"value": INTEGER, "next": {"$ref": "#/$defs/node"}}}
ENDLESS: dict[str, tuple[Any, str]] = {
    "a property": (
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        "#/properties/a",
    ),
    "a linked list": (
        {"$defs": {"node": {**NODE, "required": ["value", "next"]}}, "$ref": "#/$defs/node"},
        "#/$defs/node/properties/next",
    ),
    "items": ({"type": "array", "items": {"$ref": "#"}, "minItems": 1}, "#/items"),
    "prefixItems": ({"type": "array", "prefixItems": [{"$ref": "#"}], "minItems": 1}, "#/prefixItems/0"),
    "every alternative": (
        {
            "anyOf": [
                {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
                {"allOf": [{"$ref": "#/anyOf/0"}]},
            ]
        },
        "#/anyOf/0/items",
    ),
    "an escaped name": (
        {"type": "object", "properties": {"a/b": {"$ref": "#"}}, "required": ["a/b"]},
        "#/properties/a~1b",
    ),
    "in turn": (
        {
            "$defs": {
                "a": {"type": "object", "properties": {"b": {"$ref": "#/$defs/b"}}, "required": ["b"]},
                "b": {"type": "array", "items": {"$ref": "#/$defs/a"}, "minItems": 2},
            },
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/a"}},
            "required": ["a"],
        },
        "#/$defs/b/items",
    ),
}


@pytest.mark.parametrize(("schema", "place"), ENDLESS.values(), ids=ENDLESS)
def test_a_schema_without_a_finite_value_is_refused_where_it_comes_back_to_itself(
    schema: Any, place: str
) -> None:
    with pytest.raises(InvalidGrammar) as refusal:
        SchemaGrammar(schema)
    assert f"at {place}: a value would go on without end" in str(refusal.value)


def test_properties_that_must_be_there_unnamed_are_seen_in_the_grammar() -> None:
    endless = {"type": "object", "additionalProperties": {"$ref": "#"}, "minProperties": 1}
    with pytest.raises(InvalidGrammar, match="without end"):
        SchemaGrammar(endless)


@pytest.mark.parametrize(
    "schema",
    [
        TREE,
        {"type": "array", "items": {"$ref": "#"}},
        {"type": ["array", "null"], "items": {"$ref": "#"}, "minItems": 1},
        {"type": "array", "prefixItems": [INTEGER, {"$ref": "#"}], "minItems": 1},
        {"$defs": {"node": NODE}, "$ref": "#/$defs/node"},
        {
            "type": "object",
            "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
            "required": ["next"],
        },
        {"type": "array", "items": {"const": 1}, "minItems": 10**9},
        {
            "type": "object",
            "properties": {"a": {"enum": [1]}},
            "required": ["a"],
            "$defs": {"x": {"$ref": "#"}},
        },
    ],
    ids=str,
)
def test_a_schema_with_a_finite_value_is_not(schema: Any) -> None:
    SchemaGrammar(schema)


def test_merged_values_are_compared_as_json_compares_them() -> None:
    """JSON Schema 2020-12, 4.2.2: 1 and true are not equal, as they are in Python."""
    for keyword, one, other in (("const", 1, True), ("enum", [1, 0], [True, False])):
        with pytest.raises(InvalidGrammar, match="no value matches"):
            SchemaGrammar({"allOf": [{keyword: one}, {keyword: other}]})
