"""Small valid values of JSON Schemas, for members that a document's examples leave out."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from verbatim_kit.conform.document import Json, Schema
from verbatim_kit.conform.place import ABSENT
from verbatim_kit.judge.references import resolve

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_COMPONENTS = "#/components/schemas/"
_DEPTH = 12  # of nested schemas; a deeper schema is recursive


class Samples:
    """A generator and validator of values for the schemas of one OpenAPI document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._validator = cache(self._make_validator)
        self._schemas: dict[int, Schema] = {}

    def is_valid(self, schema: Schema, value: Json) -> bool:
        """Return whether a value satisfies a schema; references are resolved in the document."""
        self._schemas[id(schema)] = schema  # keeps the schema alive, so that its id is not reused
        return bool(self._validator(id(schema)).is_valid(value))

    def _make_validator(self, key: int) -> jsonschema_rs.Validator:
        schema = self._schemas[key]
        used: dict[str, Schema] = {}
        self._collect(schema, used)
        components = {"schemas": used}  # compiling them all would take as long as a thousand validations
        return jsonschema_rs.validator_for({"$schema": _DIALECT, "components": components, "allOf": [schema]})

    def _collect(self, node: Any, used: dict[str, Schema]) -> None:
        """Add to `used` the component schemas that a schema refers to, directly or indirectly."""
        if isinstance(node, list):
            for part in node:
                self._collect(part, used)
        if not isinstance(node, Mapping):
            return
        reference = node.get("$ref")
        if isinstance(reference, str) and (name := reference.removeprefix(_COMPONENTS)) not in used:
            used[name] = resolve(self._document, {"$ref": reference})
            self._collect(used[name], used)
        for part in node.values():
            self._collect(part, used)

    def smallest(self, schema: Schema, depth: int = 0) -> Json:
        """Return a small valid value of the schema, not null if possible; ABSENT if none is found."""
        if depth > _DEPTH:
            return ABSENT
        tried = (value for value in self._candidates(resolve(self._document, schema), depth))
        valid = [value for value in tried if value is not ABSENT and self.is_valid(schema, value)]
        return next((value for value in valid if value is not None), valid[0] if valid else ABSENT)

    def _candidates(self, schema: Schema, depth: int) -> Iterator[Json]:
        yield from schema.get("examples", ())
        yield from (schema[key] for key in ("const", "default") if key in schema)
        yield from schema.get("enum", ())
        for key in ("oneOf", "anyOf", "allOf"):
            yield from (self.smallest(branch, depth + 1) for branch in schema.get(key, ()))
        for kind in types_of(schema):
            yield from self._of_type(kind, schema, depth)

    def _of_type(self, kind: str, schema: Schema, depth: int) -> Iterator[Json]:
        match kind:
            case "object":
                yield self._object(schema, depth)
            case "array":
                item = self.smallest(schema.get("items", {}), depth + 1)
                if item is not ABSENT:
                    yield from ([item] * count for count in (max(schema.get("minItems", 0), 1), 0))
            case "string":
                yield from ("a" * max(schema.get("minLength", 0), 1), "0", "https://example.com/a", "YQ==")
            case "boolean":
                yield False
            case "null":
                yield None
            case _:
                yield from (schema.get("minimum", 1), 1, 0, schema.get("maximum", 0), 0.5)

    def _object(self, schema: Schema, depth: int) -> Json:
        members = {
            name: self.smallest(schema.get("properties", {}).get(name, {}), depth + 1)
            for name in schema.get("required", ())
        }
        return ABSENT if ABSENT in members.values() else members


def types_of(schema: Schema) -> list[str]:
    """Return the types that a schema names; `string` if neither a type nor another restriction is given."""
    kind = schema.get("type")
    if kind is None:
        return ["string"] if not schema.keys() & {"oneOf", "anyOf", "allOf", "enum", "const"} else []
    return list(kind) if isinstance(kind, list) else [kind]
