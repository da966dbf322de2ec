"""A function's parameters, one by one, for formats that write each by its name; pure."""

from collections.abc import Iterator, Mapping

import msgspec

from handlers.chat.structured_output.strict_schema import EFFECTIVE
from handlers.chat.structured_output.structural_tag import MAY_BE_LOOSENED, TEXT_GRAMMAR
from handlers.chat.tool_calls.tool_format import Schema
from verbatim_kit.json_pointer import target_of

# What a schema may hold whose properties say all of the arguments. Others than the properties are left out
# where additionalProperties would allow them.
_PLAIN = frozenset(("type", "properties", "required", "additionalProperties"))
_DEFINITIONS = ("$defs", "definitions")
_INHERITED = (*_DEFINITIONS, MAY_BE_LOOSENED)
_MEANT = (EFFECTIVE | {TEXT_GRAMMAR}) - {*_DEFINITIONS}
_RESTRICTING = _MEANT - {"type"}
_MAX_REFERENCES = 100  # one after the other: they may go in circles
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
ANY_TYPE = frozenset(("string", "boolean", "integer", "number", "array", "object", "null"))


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A named argument.

    schema: the argument's schema, with the definitions that it may refer to.
    types: the JSON types that its values may have.
    """

    name: str
    schema: Schema
    is_required: bool
    types: frozenset[str]

    @property
    def restrictions(self) -> dict[str, object]:
        """The keywords that restrict a value beyond its type."""
        return {key: value for key, value in self.schema.items() if key in _RESTRICTING}


def parameters_of(schema: Schema) -> tuple[Parameter, ...] | None:
    """Return the parameters in the schema's order; None if the schema restricts the arguments
    otherwise too.
    """
    if set(schema) & _RESTRICTING - _PLAIN or not isinstance(properties := schema.get("properties"), Mapping):
        return None
    is_open = not properties and bool(schema.get("additionalProperties"))
    is_possible = all(value is True or isinstance(value, Mapping) for value in properties.values())
    if is_open or not is_possible or not _required(schema) <= set(properties) or _refers_elsewhere(schema):
        return None
    return tuple(named_parameters(schema).values())


def named_parameters(schema: Schema) -> dict[str, Parameter]:
    """Return the properties that the schema names, whatever other keywords it has."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    required = _required(schema)
    return {
        name: Parameter(
            name=name,
            schema=_standalone(value, schema),
            is_required=name in required,
            types=_types_of(value, schema),
        )
        for name, value in properties.items()
    }


def item_of(array: Schema) -> Parameter:
    """Return the items of an array as a parameter. Raises KeyError where the schema names none."""
    return named_parameters({**array, "properties": {"item": array["items"]}})["item"]


def _required(schema: Schema) -> set[object]:
    return set(_listed(schema.get("required")))


def _standalone(value: object, root: Schema) -> Schema:
    """Return a schema that includes the root's definitions, a mere reference replaced by its target."""
    inherited = {key: root[key] for key in _INHERITED if key in root}
    found, num_left = value, _MAX_REFERENCES
    while isinstance(found, Mapping) and set(found) & _MEANT == {"$ref"} and num_left:
        found, num_left = target_of(root, str(found["$ref"])), num_left - 1
    return dict(found if isinstance(found, Mapping) else {}) | inherited


def _types_of(schema: object, root: Schema) -> frozenset[str]:
    """Return the types that a schema allows. Each reference is followed once, since they may be cyclic."""
    types: set[str] = set()
    followed: set[str] = set()
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        reference = str(part["$ref"]) if isinstance(part, Mapping) and "$ref" in part else None
        if reference is not None and reference not in followed:
            followed.add(reference)
            waiting.append(target_of(root, reference))
        elif reference is None:
            types |= _declared_types(part) if isinstance(part, Mapping) else ANY_TYPE
            waiting += _alternatives(part)
    return frozenset(types)


def _alternatives(schema: object) -> list[object]:
    if not isinstance(schema, Mapping):
        return []
    return [member for key in _ALTERNATIVES for member in _listed(schema.get(key))]


def _declared_types(schema: Schema) -> set[str]:
    """Return the types that the schema itself declares, without those of its alternatives."""
    if "const" in schema:
        return {_type_of(schema["const"])}
    if "enum" in schema:
        return set(map(_type_of, _listed(schema["enum"])))
    declared = schema.get("type")
    if isinstance(declared, str):
        return {declared}
    types = set(map(str, _listed(declared)))
    return types or (set() if _alternatives(schema) else set(ANY_TYPE))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _type_of(value: object) -> str:
    return _TYPES.get(type(value), "null")


def type_of_json(value: object) -> frozenset[str]:
    """Return the types under which a schema may allow this value."""
    is_whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    return frozenset(("integer", "number") if is_whole else (_type_of(value),))


def _refers_elsewhere(schema: Schema) -> bool:
    """Return whether the schema refers to a place outside its definitions, which a parameter lacks."""
    inside = tuple(f"#/{key}/" for key in _DEFINITIONS)
    return any(not str(reference).startswith(inside) for reference in _references(schema))


def _references(schema: object) -> Iterator[object]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if "$ref" in part:
                yield part["$ref"]
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
