"""A document's statements about the parts of one JSON value."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from handlers.checking.schemas import Rule, Schemas
from tools.generate.documents.document import Document, resolve

Schema = dict[str, Any]
Pointer = tuple[str | int, ...]

_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


class Part(NamedTuple):
    """A value inside another. pointer: where. declared: the schemas for its place, as they stand.

    met: those of their alternatives that the value is valid by, without a union on top.
    owners: of an object's member, the object's schemas that name it; empty for an entry of a map, for others.
    """

    pointer: Pointer
    value: Any
    declared: list[Schema]
    met: list[Schema]
    owners: list[Schema]

    @property
    def is_member(self) -> bool:
        """Return whether it stands in an object."""
        return bool(self.pointer) and isinstance(self.pointer[-1], str)

    @property
    def is_required(self) -> bool:
        return any(self.pointer[-1] in owner.get("required", ()) for owner in self.owners)


class Reading:
    """Reads values by the schemas of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._schemas = Schemas(document)
        self._rules: dict[int, Rule] = {}  # by the schema's identity, since the document outlives them

    def parts(self, value: Any, schema: Schema) -> Iterator[Part]:
        """The value and all parts of it; of an array the first two items stand for all."""
        yield from self._parts(value, [schema], (), [])

    def leaves(self, schema: Schema) -> Iterator[Schema]:
        """The alternatives of a schema, followed until none is a union."""
        target, _ = resolve(self._document, schema, ())
        branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in target.get(key, ())]
        if not branches or "properties" in target:
            yield target
        for branch in branches:
            yield from self.leaves(branch)

    def admits(self, declared: list[Schema], value: Any) -> bool:
        """Return whether some alternative for the place takes values of this value's type."""
        kinds = [name for name, kind in _TYPES.items() if isinstance(value, kind)]
        kinds = ["boolean"] if isinstance(value, bool) else kinds
        return any(
            not (types := types_of(leaf)) or set(types) & set(kinds)
            for schema in declared
            for leaf in self.leaves(schema)
        )

    def admits_value(self, schema: Schema | bool, value: Any) -> bool:
        """Return whether a value is valid by a schema that is not closed, or by none (True)."""
        return schema if isinstance(schema, bool) else self._rule(schema).allows(value)

    def _parts(
        self, value: Any, declared: list[Schema], pointer: Pointer, owners: list[Schema]
    ) -> Iterator[Part]:
        met = [leaf for schema in declared for leaf in self._met(schema, value)]
        yield Part(pointer, value, declared, met, owners)
        if isinstance(value, dict):
            for name, inner in value.items():
                naming = [leaf for leaf in met if name in leaf.get("properties", {})]
                schemas = [leaf["properties"][name] for leaf in naming] or list(_of_maps(met))
                if schemas:  # else it stands in an object of any members, of which nothing is declared
                    yield from self._parts(inner, schemas, (*pointer, name), naming)
        if isinstance(value, list):
            for index, inner in enumerate(value[:2]):
                schemas = [leaf["items"] for leaf in met if isinstance(leaf.get("items"), dict)]
                yield from self._parts(inner, schemas, (*pointer, index), [])

    def _met(self, schema: Schema, value: Any) -> list[Schema]:
        found = [leaf for leaf in self.leaves(schema) if self._rule(leaf).allows(value)]
        # Of the alternatives that fit, those are meant that know most of the members.
        if isinstance(value, dict) and len(found) > 1:
            known = [len(value.keys() & leaf.get("properties", {}).keys()) for leaf in found]
            found = [leaf for leaf, count in zip(found, known, strict=True) if count == max(known)]
        return found

    def _rule(self, schema: Schema) -> Rule:
        if id(schema) not in self._rules:
            self._rules[id(schema)] = self._schemas.condition(schema)
        return self._rules[id(schema)]


def types_of(schema: Schema) -> list[str]:
    """The types that a schema names; none where it takes any."""
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return [name for value in values for name, kind in _TYPES.items() if isinstance(value, kind)]
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _of_maps(leaves: list[Schema]) -> Iterator[Schema]:
    for leaf in leaves:
        if isinstance(others := leaf.get("additionalProperties"), dict):
            yield others
