"""JSON Schemas at random: nested, with every keyword that the engine enforces."""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

Schema: TypeAlias = dict[str, object]

NAMES = ("name", "age", "is_open", "größe", "日付", 'a "quoted" one', "back\\slash", "tab\tbed", "x", "y z")
TEXTS = ("red", "grün", "", 'say "no"', "a\\b", "line\nbreak", "😀", "null", "0")
PATTERNS = (r"^[a-z]{2,8}$", r"^\d{3}-\d{4}$", r"^(yes|no|may be)$", r"^[A-Z][a-z]+( [A-Z][a-z]+)?$", "^é?#$")
FORMATS = ("uuid", "ipv4", "date", "time", "email")
MAX_DEPTH = 4


class SchemaMaker:
    """One document a seed. Arrays and strings are bounded, so that most documents are short."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._definitions: dict[str, Schema] = {}

    def document(self) -> Schema:
        """An object, as OpenAI asks of the root, or now and then anything else."""
        self._definitions = {name: self._schema(2) for name in ("Place", "Item~/1")}
        self._definitions["Node"] = self._node()
        root = self._object(0) if self._random.random() < 0.8 else self._schema(0)
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Thing"} | (
            root | {"$defs": self._definitions}
        )

    def _node(self) -> Schema:
        """A list that holds itself, which has to end."""
        following = {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}
        return {
            "type": "object",
            "properties": {"value": self._schema(MAX_DEPTH), "next": following},
            "required": ["value", "next"],
            "additionalProperties": False,
        }

    def _schema(self, depth: int) -> Schema:
        leaves = (self._string, self._number, self._values, self._plain, self._reference)
        branches = (self._object, self._object, self._array, self._array, self._any_of, self._one_of)
        makers: tuple[Callable[[int], Schema], ...] = leaves if depth >= MAX_DEPTH else leaves + branches
        made = self._random.choice(makers)(depth)
        return made | {"description": "what it is"} if self._random.random() < 0.2 else made

    def _plain(self, depth: int) -> Schema:
        return {"type": self._random.choice(("boolean", "null", ["boolean", "null"]))}

    def _reference(self, depth: int) -> Schema:
        # Definitions are made before they can be referred to, so that only Node holds itself.
        names = [name for name in self._definitions if name != "Node" or depth < MAX_DEPTH]
        if not names:
            return {"type": "boolean"}
        name = self._random.choice(names).replace("~", "~0").replace("/", "~1")
        reference: Schema = {"$ref": f"#/$defs/{name}"}
        return {"allOf": [reference]} if self._random.random() < 0.2 else reference

    def _values(self, depth: int) -> Schema:
        values: list[object] = [
            *self._random.sample(TEXTS, 3),
            7,
            -1.5,
            None,
            True,
            ["a", {"b": 1}],
            {"k": []},
        ]
        chosen = self._random.sample(values, self._random.randint(1, 4))
        return {"const": chosen[0]} if len(chosen) == 1 else {"enum": chosen}

    def _string(self, depth: int) -> Schema:
        low = self._random.randint(0, 5)
        kinds: tuple[Schema, ...] = (
            {"minLength": low, "maxLength": low + self._random.randint(0, 20)},
            {"maxLength": 30},
            {"pattern": self._random.choice(PATTERNS)},
            {"format": self._random.choice(FORMATS)},
        )
        return {"type": "string"} | self._random.choice(kinds)

    def _number(self, depth: int) -> Schema:
        low = self._random.randint(-1000, 1000)
        high = low + self._random.randint(1, 500)
        return self._random.choice(
            (
                {"type": "integer", "minimum": low, "maximum": high},
                {"type": "integer", "exclusiveMinimum": low, "exclusiveMaximum": high + 1},
                {"type": ["integer", "null"], "minimum": low, "maximum": high},
                {"type": "integer", "multipleOf": self._random.randint(1, 12)},
                {"type": "number", "minimum": low + 0.5, "maximum": high},
                {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            )
        )

    def _array(self, depth: int) -> Schema:
        low = self._random.randint(0, 2)
        bounds: Schema = {"minItems": low, "maxItems": low + self._random.randint(0, 2)}
        if self._random.random() < 0.7:
            return {"type": "array", "items": self._schema(depth + 1)} | bounds
        first = [self._schema(depth + 1) for _ in range(self._random.randint(1, 3))]
        return {"type": "array", "prefixItems": first, "items": False, "minItems": len(first)}

    def _object(self, depth: int) -> Schema:
        kind = self._random.random()
        if kind < 0.1:
            limits = {"minProperties": 1, "maxProperties": 2}
            return {"type": "object", "additionalProperties": self._schema(depth + 1)} | (
                limits | {"propertyNames": {"pattern": "^[a-z]{1,6}$"}}
            )
        if kind < 0.2:
            patterns = {r"^n_[0-9]$": self._schema(depth + 1)}
            return {"type": "object", "patternProperties": patterns, "additionalProperties": False} | (
                {"maxProperties": 2}
                if self._random.random() < 0.5
                else {"minProperties": 1, "maxProperties": 3}
            )
        names = self._random.sample(NAMES, self._random.randint(1, 4))
        required = names if self._random.random() < 0.6 else self._random.sample(names, len(names) // 2)
        made: Schema = {"type": "object", "properties": {name: self._schema(depth + 1) for name in names}}
        return made | {"required": required} | self._random.choice(({}, {"additionalProperties": False}))

    def _any_of(self, depth: int) -> Schema:
        return {"anyOf": [self._schema(depth + 1) for _ in range(self._random.randint(1, 3))]}

    def _one_of(self, depth: int) -> Schema:
        """Told apart by a tag, as pydantic writes unions."""
        members = []
        for kind in self._random.sample(("cat", "dog", "fish"), 2):
            properties = {"kind": {"const": kind}, "more": self._schema(depth + 1)}
            members.append({"type": "object", "properties": properties, "required": ["kind", "more"]})
        return {"oneOf": members}
