"""The schemas that a document declares for the parts of a JSON value."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from verbatim_kit.generate.documents.document import Document, resolve
from verbatim_kit.judge.schemas import Rule, Schemas

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
    """A part of a JSON value.

    pointer: path of the part. declared: the schemas for its place, with unions. met: the alternatives of
    these schemas that the value satisfies. owners: for a member of an object, the object's schemas that
    declare it; empty for entries of maps and for other parts.
    """

    pointer: Pointer
    value: Any
    declared: list[Schema]
    met: list[Schema]
    owners: list[Schema]

    @property
    def is_member(self) -> bool:
        """True for a member of an object."""
        return bool(self.pointer) and isinstance(self.pointer[-1], str)

    @property
    def is_required(self) -> bool:
        return any(self.pointer[-1] in owner.get("required", ()) for owner in self.owners)


class Reading:
    """A traversal of values by the schemas of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._schemas = Schemas(document)
        self._rules: dict[int, Rule] = {}  # by the id of the schema, which lives as long as the document

    def parts(self, value: Any, schema: Schema) -> Iterator[Part]:
        """Yield a value and all its parts; of an array, only the first two items."""
        yield from self._parts(value, [schema], (), [])

    def leaves(self, schema: Schema) -> Iterator[Schema]:
        """Yield the alternatives of a schema, with all unions resolved."""
        target, _ = resolve(self._document, schema, ())
        branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in target.get(key, ())]
        if not branches or "properties" in target:
            yield target
        for branch in branches:
            yield from self.leaves(branch)

    def admits(self, declared: list[Schema], value: Any) -> bool:
        """Return whether an alternative for the place allows the type of the value."""
        kinds = [name for name, kind in _TYPES.items() if isinstance(value, kind)]
        kinds = ["boolean"] if isinstance(value, bool) else kinds
        return any(
            not (types := types_of(leaf)) or set(types) & set(kinds)
            for schema in declared
            for leaf in self.leaves(schema)
        )

    def admits_value(self, schema: Schema | bool, value: Any) -> bool:
        """Return whether a value satisfies a schema, of which True allows everything."""
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
                if schemas:  # otherwise a member of a free-form object, about which nothing is declared
                    yield from self._parts(inner, schemas, (*pointer, name), naming)
        if isinstance(value, list):
            for index, inner in enumerate(value[:2]):
                schemas = [leaf["items"] for leaf in met if isinstance(leaf.get("items"), dict)]
                yield from self._parts(inner, schemas, (*pointer, index), [])

    def _met(self, schema: Schema, value: Any) -> list[Schema]:
        found = [leaf for leaf in self.leaves(schema) if self._rule(leaf).allows(value)]
        # Of the alternatives that match, use those that declare most of the members.
        if isinstance(value, dict) and len(found) > 1:
            known = [len(value.keys() & leaf.get("properties", {}).keys()) for leaf in found]
            found = [leaf for leaf, count in zip(found, known, strict=True) if count == max(known)]
        return found

    def _rule(self, schema: Schema) -> Rule:
        if id(schema) not in self._rules:
            self._rules[id(schema)] = self._schemas.condition(schema)
        return self._rules[id(schema)]


def types_of(schema: Schema) -> list[str]:
    """Return the types that a schema allows; empty if it allows any."""
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return [name for value in values for name, kind in _TYPES.items() if isinstance(value, kind)]
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else kinds


def _of_maps(leaves: list[Schema]) -> Iterator[Schema]:
    for leaf in leaves:
        if isinstance(others := leaf.get("additionalProperties"), dict):
            yield others
