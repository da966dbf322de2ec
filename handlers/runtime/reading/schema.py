"""pydantic's schema of a declared type, as the locations of its errors go through it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic_core import CoreSchema

_ANY: Final = {"type": "any"}
_UNIONS: Final = ("union", "tagged-union")


class Schema:
    """A place in a schema, with what adds nothing to a location (defaults, references) taken off.

    core: whose unions label their alternatives by number, as fail_fast_schema makes them. definitions: what
    its references mean; the schema's own if not given.
    """

    def __init__(self, core: CoreSchema, definitions: Mapping[str, Any] | None = None) -> None:
        found: Any = core
        own = {definition["ref"]: definition for definition in found.get("definitions", ())}
        self._definitions = own if definitions is None else definitions
        while found["type"] == "definition-ref" or "schema" in found:
            found = self._definitions[found["schema_ref"]] if "schema_ref" in found else found["schema"]
        self._core = found

    @property
    def is_union(self) -> bool:
        """Whether the next part of a location is an alternative's label, rather than a key or a position."""
        return self._core["type"] in _UNIONS

    @property
    def names(self) -> frozenset[str]:
        """Of a model's fields, as documents have them; none where this is no model."""
        return frozenset(self._fields)

    @property
    def constants(self) -> dict[str, tuple[Any, ...]]:
        """What a model's fields may be, for those that have a list of it."""
        fields = {name: self._at(field) for name, field in self._fields.items()}
        return {
            name: tuple(field._core["expected"])
            for name, field in fields.items()
            if field._core["type"] == "literal"
        }

    def inside(self, part: str | int) -> "Schema":
        """Of what a part of a location leads to; of any value where the document does not know the part."""
        core = self._core
        match core["type"]:
            case "list":
                return self._at(core.get("items_schema", _ANY))
            case "dict":
                return self._at(core.get("values_schema", _ANY))
            case "union":
                return self._at(core["choices"][int(part)][0])
            case "tagged-union":
                return self._at(core["choices"][part])
        return self._at(self._fields.get(str(part), _ANY))

    @property
    def _fields(self) -> dict[str, Any]:
        fields = self._core.get("fields", {})
        return {field.get("validation_alias", name): field for name, field in fields.items()}

    def _at(self, core: Any) -> "Schema":
        return Schema(core, self._definitions)


def distinguishing_fields(models: Sequence[Schema]) -> list[str]:
    """Fields that all of them have with constants, and not the same; first those that tell all apart."""
    constants = [model.constants for model in models]
    shared = [name for name in constants[0] if all(name in others for others in constants)]

    def overlap(name: str) -> int:
        values = [value for fields in constants for value in fields[name]]
        return len(values) - len(set(values))

    different = [name for name in shared if len({fields[name] for fields in constants}) > 1]
    return sorted(different, key=overlap)
