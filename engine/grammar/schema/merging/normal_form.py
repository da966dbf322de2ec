"""A merged schema with what it implies written out, and without what no value can have."""

from engine.grammar.schema.keywords import (
    FRACTION,
    IMPLIED_TYPE,
    RESTRICTS,
    UNEVALUATED,
    WHOLE,
    num_matching_types,
)
from engine.grammar.schema.merging.pairs import AnySchema
from engine.grammar.schema.number_bounds import has_multiples, has_numbers
from engine.grammar.schema.walk import Schema

_NUMBERS = frozenset(("integer", "number"))
_OBJECTS = frozenset(("object",))


def normal_form(schema: Schema) -> AnySchema:
    """Return an equal schema with its type, and with all required properties declared; False if no value
    matches. The schemas inside are taken to be in this form already.
    """
    made = dict(schema)
    if False in made.get("allOf", ()):
        return False
    for keyword in ("anyOf", "oneOf"):
        if members := made.get(keyword):
            made[keyword] = [member for member in members if member is not False]
            if not made[keyword]:
                return False
    is_whole = any(keyword in made for keyword in WHOLE)
    if not is_whole:
        made = without_unevaluated(made)
    if not is_whole and "type" not in made:
        implied = dict.fromkeys(RESTRICTS[keyword] for keyword in made if keyword in RESTRICTS)
        if implied:
            made["type"] = list(implied) if len(implied) > 1 else next(iter(implied))
            made[IMPLIED_TYPE] = True
    if not _has_its_numbers(made):
        return _without_types(made, _NUMBERS)
    if False in (prefix := made.get("prefixItems", [])):
        made["prefixItems"] = prefix[: prefix.index(False)]
        made["items"] = False
        if made.get("minItems", 0) > len(made["prefixItems"]):
            return False
    if prefix and made.get("minItems", 0) > len(prefix) and "items" not in made:
        made["items"] = True
    if made.get("items") is False and not made.get("prefixItems") and made.get("minItems", 0):
        return False
    return _object_form(made)


def without_unevaluated(schema: Schema) -> Schema:
    """Return a schema that stands alone with what it says of unevaluated members as of additional ones."""
    made = {keyword: value for keyword, value in schema.items() if keyword not in UNEVALUATED}
    for keyword, plain in UNEVALUATED.items():
        if keyword in schema:
            made.setdefault(plain, schema[keyword])
    return made


def without_foreign(schema: Schema) -> Schema:
    """Return the schema without the keywords that restrict none of its types."""
    if "type" not in schema:
        return schema
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in RESTRICTS or num_matching_types(RESTRICTS[keyword], schema["type"])
    }


def _object_form(made: Schema) -> AnySchema:
    if "patternProperties" in made or not num_matching_types("object", made.get("type", "null")):
        return made
    others = made.get("additionalProperties")
    if False in (others, made.get("propertyNames")) and not made.get("properties"):
        made = {**made, "additionalProperties": False}
        made.pop("propertyNames", None)
        others = False
        if made.get("minProperties", 0) > 0:
            return _without_types(made, _OBJECTS)
    undeclared = [name for name in made.get("required", ()) if name not in made.get("properties", {})]
    if undeclared and not made.get("propertyNames"):
        if others is False:
            return _without_types(made, _OBJECTS)
        if not made.get("properties") and others is None:
            made["additionalProperties"] = True
        value = others if isinstance(others, dict) else {}
        made["properties"] = {**made.get("properties", {}), **dict.fromkeys(undeclared, value)}
    properties = made.get("properties", {})
    if any(properties.get(name) is False for name in made.get("required", ())):
        return _without_types(made, _OBJECTS)
    return made


def _has_its_numbers(schema: Schema) -> bool:
    """Return whether a number is allowed, where numbers are restricted."""
    if not num_matching_types("number", schema.get("type", "null")):
        return True
    if FRACTION in schema and "number" not in _names(schema["type"]):
        return False
    return has_numbers(schema) if "number" in _names(schema["type"]) else has_multiples(schema)


def _names(types: str | list[str]) -> list[str]:
    return [types] if isinstance(types, str) else types


def _without_types(made: Schema, impossible: frozenset[str]) -> AnySchema:
    """Return the schema for the other types that it allows."""
    rest = [name for name in _names(made["type"]) if name not in impossible]
    return normal_form(without_foreign({**made, "type": rest})) if rest else False
