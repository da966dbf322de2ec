"""The schemas of a JSON Schema document, and the references between them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from engine.grammar.schema.walk import HOLDS_LIST, HOLDS_MAP, Schema, inner_schemas
from engine.port.errors import InvalidGrammar

MAX_DEPTH = 32  # schemas inside schemas
TOO_DEEP = f"a JSON Schema may be nested {MAX_DEPTH} deep"

ALTERNATIVES = ("anyOf", "oneOf", "allOf")

_JSON_NAMES: dict[type, str] = {list: "array", dict: "object", str: "string"}
_SHAPES: dict[str, type] = {
    **dict.fromkeys(("required", "enum", *(name for name in HOLDS_LIST if name != "items")), list),
    **dict.fromkeys((*HOLDS_MAP, "dependentRequired"), dict),
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
                for step, inner in inner_schemas(schema):
                    if step == "propertyNames" and isinstance(inner, dict):
                        inner = {"type": "string", **inner}
                    waiting.append((f"{place}/{step}", inner, depth + 1))
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
            if (target := self.schemas.get(schema.get("$ref", ""))) is None:
                break
            schema = target
        return schema

    def leads_to_itself(self, schema: Schema) -> bool:
        """Return whether matching this schema would require itself again before a character is read; of
        several circles of such schemas, it is said of one."""
        return id(schema) in self._circle

    @cached_property
    def _circle(self) -> set[int]:
        """The schemas of a circle of alternatives, by their identity; none if there is no circle."""
        following = {
            id(schema): [id(inner) for inner in self.alternatives(schema)] for schema in self.schemas.values()
        }
        try:
            TopologicalSorter(following).prepare()
        except CycleError as error:
            return {*error.args[1]}
        return set()


@contextmanager
def named_place(place: str) -> Iterator[None]:
    """Name the place in an InvalidGrammar of the block, unless it names one."""
    try:
        yield
    except InvalidGrammar as error:
        if str(error).startswith("JSON Schema"):
            raise
        raise InvalidGrammar(f"JSON Schema at {place}: {error}") from None


def _check_shapes(place: str, schema: Schema) -> None:
    """Check the shapes that all that reads a document relies on."""
    for keyword, value in schema.items():
        shape = _SHAPES.get(keyword)
        if shape and not isinstance(value, shape) and (keyword, type(value)) != ("type", list):
            raise InvalidGrammar(f"JSON Schema at {place}: {keyword} has to be a JSON {_JSON_NAMES[shape]}")
    if isinstance(schema.get("items"), list):
        raise InvalidGrammar(f"JSON Schema at {place}: items is a list, beside prefixItems")
    names = [*schema.get("required", ()), *(schema["type"] if isinstance(schema.get("type"), list) else ())]
    for needed in schema.get("dependentRequired", {}).values():
        names += needed if isinstance(needed, list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise InvalidGrammar(f"JSON Schema at {place}: required and type hold strings")
