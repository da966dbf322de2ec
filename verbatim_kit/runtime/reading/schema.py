"""pydantic's schema of a declared type, in the steps that the locations of its errors take."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic_core import CoreSchema

_ANY: Final = {"type": "any"}
_UNIONS: Final = ("union", "tagged-union")


class Schema:
    """A place in a schema, without the layers that add nothing to a location (defaults, references).

    core: a schema of fail_fast_schema, whose unions label their alternatives by number. definitions: the
    targets of its references; by default the schema's own.
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
        """True if the next part of a location is an alternative's label, rather than a key or a position."""
        return self._core["type"] in _UNIONS

    @property
    def is_model(self) -> bool:
        """True for an object whose fields have names in the document."""
        return bool(self._core["type"] == "model-fields")

    @property
    def names(self) -> frozenset[str]:
        """The names of a model's fields in documents; none where this is no model."""
        return frozenset(self._fields)

    @property
    def constants(self) -> dict[str, tuple[Any, ...]]:
        """The allowed values of those of a model's fields that list them."""
        fields = {name: self._at(field) for name, field in self._fields.items()}
        return {
            name: tuple(field._core["expected"])
            for name, field in fields.items()
            if field._core["type"] == "literal"
        }

    def inside(self, part: str | int) -> "Schema":
        """Return the schema that a part of a location leads to; that of any value for an unknown part."""
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
    """Return the fields for which all models have constants that differ; those that differ in all
    come first.
    """
    constants = [model.constants for model in models]
    shared = [name for name in constants[0] if all(name in others for others in constants)]

    def overlap(name: str) -> int:
        values = [value for fields in constants for value in fields[name]]
        return len(values) - len(set(values))

    different = [name for name in shared if len({fields[name] for fields in constants}) > 1]
    return sorted(different, key=overlap)
