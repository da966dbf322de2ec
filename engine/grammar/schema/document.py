"""The schemas of a JSON Schema document, and the references between them."""

from collections.abc import Iterator
from itertools import count
from typing import Any

from engine.errors import InvalidGrammar

MAX_DEPTH = 32  # schemas inside schemas
TOO_DEEP = f"a JSON Schema may be nested {MAX_DEPTH} deep"

Schema = dict[str, Any]

ALTERNATIVES = ("anyOf", "oneOf", "allOf")

_HOLDS_SCHEMA = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties")
_HOLDS_LIST = (*ALTERNATIVES, "prefixItems")
_HOLDS_MAP = ("properties", "patternProperties", "$defs", "definitions")
_JSON_NAMES: dict[type, str] = {list: "array", dict: "object", str: "string"}
_SHAPES: dict[str, type] = {
    **dict.fromkeys(("required", "enum", *_HOLDS_LIST), list),
    **dict.fromkeys(_HOLDS_MAP, dict),
    **dict.fromkeys(("type", "pattern", "format", "$ref"), str),
}


class SchemaDocument:
    """The schemas of a document by their JSON pointers."""

    def __init__(self, root: object) -> None:
        self.schemas: dict[str, Schema] = {}
        waiting: list[tuple[str, object, int]] = [("#", root, 0)]
        while waiting:
            place, schema, depth = waiting.pop()
            if depth > MAX_DEPTH:
                raise InvalidGrammar(TOO_DEEP)
            if isinstance(schema, dict):
                _check_shapes(place, schema)
                self.schemas[place] = schema
                waiting += [(f"{place}/{step}", inner, depth + 1) for step, inner in _inner_schemas(schema)]
            elif not isinstance(schema, bool):
                raise InvalidGrammar(f"JSON Schema at {place}: a schema is an object or a boolean")

    def alternatives(self, schema: Schema) -> list[Schema]:
        """Return the schemas that apply to the same value: the targets of $ref, anyOf, oneOf and allOf."""
        if (reference := schema.get("$ref")) in self.schemas:
            return [self.schemas[reference]]
        members = (schema.get(keyword, ()) for keyword in ALTERNATIVES)
        return [member for group in members for member in group if isinstance(member, dict)]

    def resolve(self, schema: Schema) -> Schema:
        """Return the schema at the end of a chain of references."""
        for _ in range(len(self.schemas)):  # a longer chain runs in a circle
            schema = self.schemas.get(schema.get("$ref", ""), schema)
        return schema

    def leads_to_itself(self, schema: Schema) -> bool:
        """Return whether matching this schema would require itself again before a character is read."""
        waiting, seen = self.alternatives(schema), set[int]()
        while waiting:
            inner = waiting.pop()
            if inner is schema:
                return True
            if id(inner) not in seen:
                seen.add(id(inner))
                waiting += self.alternatives(inner)
        return False

    def rename_targets(self) -> None:
        """Move the targets of pointers with escapes, which xgrammar does not read, to plain
        ones; in place.
        """
        escaped = dict.fromkeys(
            schema["$ref"] for schema in self.schemas.values() if "~" in schema.get("$ref", "")
        )
        if not escaped:
            return
        definitions = self.schemas["#"].setdefault("$defs", {})
        free = (name for at in count() if (name := f"target {at}") not in definitions)
        names = dict(zip(escaped, free, strict=False))
        for schema in self.schemas.values():
            if (pointer := schema.get("$ref")) in names:
                schema["$ref"] = f"#/$defs/{names[pointer]}"
        definitions |= {name: self.schemas[pointer] for pointer, name in names.items()}


def escaped_step(name: str) -> str:
    """Return the name as a step of a JSON pointer (RFC 6901 section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def _check_shapes(place: str, schema: Schema) -> None:
    """Check the shapes that this module relies on; other malformed schemas are refused by xgrammar."""
    for keyword, shape in _SHAPES.items():
        value = schema.get(keyword, shape())
        if not isinstance(value, shape) and (keyword, type(value)) != ("type", list):
            raise InvalidGrammar(f"JSON Schema at {place}: {keyword} has to be a JSON {_JSON_NAMES[shape]}")
    names = [*schema.get("required", ()), *(schema["type"] if isinstance(schema.get("type"), list) else ())]
    if not all(isinstance(name, str) for name in names):
        raise InvalidGrammar(f"JSON Schema at {place}: required and type hold strings")


def _inner_schemas(schema: Schema) -> Iterator[tuple[str, object]]:
    """Yield the schemas directly inside, each with its step of a JSON pointer."""
    for keyword in _HOLDS_SCHEMA:
        if keyword in schema:
            yield keyword, schema[keyword]
    for keyword in _HOLDS_LIST:
        for index, member in enumerate(schema.get(keyword, ())):
            yield f"{keyword}/{index}", member
    for keyword in _HOLDS_MAP:
        for name, member in schema.get(keyword, {}).items():
            yield f"{keyword}/{escaped_step(name)}", member
    if isinstance(names := schema.get("propertyNames"), dict):
        yield "propertyNames", {"type": "string", **names}
