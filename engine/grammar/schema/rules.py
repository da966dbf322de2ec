"""The rules for JSON Schemas that can be enforced; docs/structured-output.md lists them."""

from collections.abc import Iterator, Sequence

from engine.grammar.schema.document import SchemaDocument
from engine.grammar.schema.keywords import (
    BOUNDS,
    IMPLIED_TYPE,
    REFUSED,
    RESTRICTS,
    TYPES,
    UNEVALUATED,
    WHOLE,
    num_matching_types,
)
from engine.grammar.schema.merging.values import common_values, has_parts, is_allowed, values_named
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

MAX_VALUES = 5000  # in an enum
MAX_ONE_OF = 64
MAX_STRING = 2**31 - 1  # characters

_COUNTS = (("minItems", "maxItems"), ("minProperties", "maxProperties"))

_CONDITIONAL = ("anyOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas", "contains")

_IN_PROPERTY_NAMES = frozenset(("type", "enum", "const", "pattern", "format", "minLength", "maxLength"))


def complaints(schema: Schema, document: SchemaDocument) -> Iterator[str]:
    """Yield the reasons why this merged schema, apart from those inside it, cannot be enforced."""
    for keyword in schema:
        if keyword in REFUSED and schema[keyword] is not False:
            yield f"{keyword} is not supported"
    if len(schema.get("enum", ())) > MAX_VALUES:
        yield f"an enum may have {MAX_VALUES} values"
    yield from _reference_complaints(schema, document)
    yield from _one_of_complaints(schema, document)
    is_whole = any(keyword in schema for keyword in WHOLE)
    if not is_whole and num_matching_types("object", schema.get("type", "object")):
        yield from _object_complaints(schema)


def source_complaints(schema: Schema, document: SchemaDocument) -> Iterator[str]:
    """Yield the reasons why this schema of a request, apart from those inside it, is malformed."""
    yield from _type_complaints(schema)
    yield from _range_complaints(schema)
    for keyword in ("minContains", "maxContains"):
        if not is_length(schema.get(keyword, 0)):
            yield f"{keyword} has to be a whole number"
    if not isinstance(schema.get("uniqueItems", True), bool):
        yield "uniqueItems has to be a boolean"
    if schema.get("enum") == []:
        yield "enum has no value"
    lengths = [schema.get("minLength", 0), schema.get("maxLength", MAX_STRING)]
    if not all(is_length(length) for length in lengths) or not lengths[0] <= lengths[1] <= MAX_STRING:
        yield f"minLength and maxLength have to be whole numbers up to {MAX_STRING}, in ascending order"
    multiple = schema.get("multipleOf", 1)
    if isinstance(multiple, bool) or not isinstance(multiple, int | float) or not 0 < multiple < 1e15:
        yield "multipleOf has to be a number from 0 to 1e15"
    yield from _reference_complaints(schema, document)
    yield from _unevaluated_complaints(schema, document)


def _unevaluated_complaints(schema: Schema, document: SchemaDocument) -> Iterator[str]:
    """Yield the complaints about unevaluated members where it depends on the value which are evaluated."""
    keywords = [keyword for keyword in UNEVALUATED if schema.get(keyword, True) is not True]
    waiting, seen = [schema] if keywords else [], set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        for beside in _CONDITIONAL:
            if beside in part:
                yield f"{keywords[0]} beside {beside} is not supported"
        waiting += [member for member in part.get("allOf", ()) if isinstance(member, dict)]
        if (target := document.schemas.get(part.get("$ref", ""))) is not None:
            waiting.append(target)


def _type_complaints(schema: Schema) -> Iterator[str]:
    declared = schema.get("type", "object")
    if declared == []:
        yield "type names no type"
    for name in declared if isinstance(declared, list) else [declared]:
        if name not in TYPES:
            yield f"type {name!r} is none of {', '.join(TYPES)}"


def _range_complaints(schema: Schema) -> Iterator[str]:
    """Yield the complaints about bounds that are no numbers, or that no value lies between."""
    for keyword in (*BOUNDS, *(name for pair in _COUNTS for name in pair)):
        value = schema.get(keyword, 0)
        is_count = keyword not in BOUNDS
        if isinstance(value, bool) or not isinstance(value, int if is_count else int | float):
            yield f"{keyword} has to be a {'whole ' if is_count else ''}number"
            return
    for low, high in (("minimum", "maximum"), *_COUNTS):
        if low in schema and high in schema and schema[low] > schema[high]:
            yield f"{low} is greater than {high}"


def _reference_complaints(schema: Schema, document: SchemaDocument) -> Iterator[str]:
    if "$ref" in schema and schema["$ref"] not in document.schemas:
        yield f"$ref {schema['$ref']!r} names no schema of this document"
    elif document.leads_to_itself(schema):
        yield "the schema is defined by nothing but itself"


def _one_of_complaints(schema: Schema, document: SchemaDocument) -> Iterator[str]:
    members = schema.get("oneOf", ())
    if len(members) > MAX_ONE_OF:
        yield f"oneOf may have {MAX_ONE_OF} schemas"
    elif not are_disjoint(members, document):
        yield (
            "oneOf needs schemas of which no two can match, by their type, const, enum or a required "
            "property with a const; use anyOf"
        )


def are_disjoint(members: Sequence[object], document: SchemaDocument) -> bool:
    """Return whether it is evident that no value matches two of these schemas."""
    found = [
        document.resolve(member) if isinstance(member, dict) else Schema()
        for member in members[:MAX_ONE_OF]
        if member is not False
    ]
    return not any(not _is_disjoint(one, other) for at, one in enumerate(found) for other in found[:at])


def _is_disjoint(one: Schema, other: Schema) -> bool:
    """Return whether it is evident that no value matches both."""
    types = _declared_types(one), _declared_types(other)
    if all(types) and not types[0] & types[1]:
        return True
    if (values := values_named(one)) is not None:
        return _excludes_all(other, values)
    if (values := values_named(other)) is not None:
        return _excludes_all(one, values)
    if any(_forbids_needed(*pair) for pair in ((one, other), (other, one))):
        return types[0] == types[1] == frozenset({"object"})
    shared = set(one.get("required", ())) & set(other.get("required", ()))
    return types[0] == types[1] == frozenset({"object"}) and any(
        _is_disjoint(one["properties"][name], other["properties"][name])
        for name in shared
        if all(isinstance(_property(schema, name), dict) for schema in (one, other))
    )


def _forbids_needed(one: Schema, other: Schema) -> bool:
    """Return whether one schema has a required property that the other does not allow."""
    is_closed = other.get("additionalProperties") is False and not other.get("patternProperties")
    properties = other.get("properties", {})
    return any(properties.get(name, not is_closed) is False for name in one.get("required", ()))


def _excludes_all(schema: Schema, values: list[object]) -> bool:
    """Return whether it is certain that none of the values matches."""
    if "enum" in schema:
        values = common_values(values, schema["enum"])
    if has_parts(schema) and any(isinstance(value, list | dict) for value in values):
        return False  # those that stand for other keywords may allow less than these
    schema = {keyword: value for keyword, value in schema.items() if keyword != "enum"}
    try:
        return not any(is_allowed(schema, value) for value in values)
    except InvalidGrammar:  # a keyword cannot be evaluated
        return False


def _property(schema: Schema, name: str) -> object:
    return schema.get("properties", {}).get(name)


def _object_complaints(schema: Schema) -> Iterator[str]:
    undeclared = set(schema.get("required", ())) - {
        *schema.get("properties", ()),
        *(only_names(schema) or ()),
    }
    if undeclared:
        yield f"required names {sorted(undeclared)[0]!r}, which is none of the properties"
    if isinstance(names := schema.get("propertyNames"), dict):
        for keyword in names:
            if keyword not in _IN_PROPERTY_NAMES and (keyword in RESTRICTS or keyword in WHOLE):
                yield f"{keyword} in propertyNames is not supported"


def _types(schema: Schema) -> frozenset[str]:
    """Return the types of the schema, a number's with those of its integers; empty for any type."""
    declared = schema.get("type", [])
    types = {declared} if isinstance(declared, str) else set(declared)
    return frozenset(types | {"integer"} if "number" in types else types)


def _declared_types(schema: Schema) -> frozenset[str]:
    """Return the types that the request's schema names: values of others may match it too."""
    return frozenset() if IMPLIED_TYPE in schema else _types(schema)


def only_names(schema: Schema) -> list[str] | None:
    """Return the only names that properties may have, by propertyNames; None if any others may."""
    names = schema.get("propertyNames", True)
    if isinstance(names, bool) or (values := values_named(names)) is None:
        return None
    return [name for name in values if isinstance(name, str)]


def is_length(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
