"""The rewriting of keywords that say when others hold, into anyOf and allOf.

not, if, then, else, dependentRequired, dependentSchemas and contains have no counterpart in a grammar, which
can only say what is allowed. Here a negation becomes the alternatives that are left: `not` a constant is
another type, or a string that a pattern tells from it. Where a keyword has no such alternative, fewer are
left, so that the generated value is still valid; where none is left, the schema is refused.

patternProperties and propertyNames are applied to the properties that properties or required name, and no
others are allowed beside those of properties. The first items of an array with contains are those that it
asks for.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from engine.grammar.schema.document import MAX_DEPTH, TOO_DEEP, SchemaDocument, named_place
from engine.grammar.schema.keywords import FRACTION, TYPES, types_of_value
from engine.grammar.schema.merging.pairs import AnySchema
from engine.grammar.schema.merging.values import is_allowed, member_schemas, values_named
from engine.grammar.schema.rewriting.references import with_targets
from engine.grammar.schema.rules import are_disjoint
from engine.grammar.schema.walk import Schema, with_inner
from engine.port.errors import InvalidGrammar

MAX_NEGATED = 1000  # schemas of a document
MAX_NEGATED_DEPTH = 16
MAX_CONTAINED = 16  # minContains
MAX_OVERLAPPING = 8  # schemas of oneOf

_CONDITIONAL = frozenset(
    ("not", "if", "then", "else", "dependentRequired", "dependentSchemas")
    + ("contains", "minContains", "maxContains")
)


def without_conditions(document: SchemaDocument) -> Schema:
    """Return the root of an equal document without these keywords, or of one that allows less.

    Raises InvalidGrammar, naming the place, where a negation cannot be said in other words.
    """
    conditions = _Conditions(document)
    root = document.schemas["#"]
    made = conditions.rewritten(root, "#", 0)
    assert isinstance(made, dict)
    return with_targets(made, root, lambda target: conditions.rewritten(target, "#", 0))


class _Conditions:
    """The rewriting of one document."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._num_negated = 0

    def rewritten(self, schema: object, place: str, depth: int) -> object:
        """Return the schema with all inside it rewritten."""
        if depth > MAX_DEPTH:
            raise InvalidGrammar(TOO_DEEP)
        if not isinstance(schema, dict):
            return schema
        with named_place(place):
            made = self._without_own(schema)
        return with_inner(made, lambda inner, step: self.rewritten(inner, f"{place}/{step}", depth + 1))

    def _without_own(self, schema: Schema) -> Schema:
        """Return the schema with its own conditions as schemas of allOf, in which there may be more."""
        is_named = bool(schema.get("properties") or schema.get("required"))
        if is_named and values_named(schema) is None:
            schema = self._with_names_applied(schema)
        found = [*self._conditions(schema)]
        made = {keyword: value for keyword, value in schema.items() if keyword not in _CONDITIONAL}
        if "oneOf" in made and not are_disjoint(made["oneOf"], self._document):
            with suppress(InvalidGrammar):  # what is beside it may still tell them apart
                found.append(self._exactly_one(made["oneOf"]))
                del made["oneOf"]
        if found:
            made["allOf"] = [*made.get("allOf", ()), *found]
        return made

    def _conditions(self, schema: Schema) -> Iterator[AnySchema]:
        if "not" in schema:
            yield self._negated(schema["not"], "not")
        if "if" in schema and ("then" in schema or "else" in schema):
            condition = schema["if"]
            yield _any_of(
                [
                    _all_of([condition, schema.get("then", True)]),
                    _all_of([self._negated(condition, "if"), schema.get("else", True)]),
                ]
            )
        for name, names in schema.get("dependentRequired", {}).items():
            yield _any_of([{"properties": {name: False}}, {"required": [name, *names]}])
        for name, inner in schema.get("dependentSchemas", {}).items():
            yield _any_of([{"properties": {name: False}}, _all_of([{"required": [name]}, inner])])
        if "contains" in schema:
            yield self._containing(schema)

    def _exactly_one(self, members: list[AnySchema]) -> AnySchema:
        """Return a schema of the values that match one of these alone."""
        if len(members) > MAX_OVERLAPPING:
            raise InvalidGrammar(f"oneOf may have {MAX_OVERLAPPING} schemas that overlap")
        others = [self._negated(member, "oneOf") for member in members]
        return _any_of(
            [_all_of([member, *others[:at], *others[at + 1 :]]) for at, member in enumerate(members)]
        )

    def _containing(self, schema: Schema) -> AnySchema:
        low, high = schema.get("minContains", 1), schema.get("maxContains")
        if low > MAX_CONTAINED:
            raise InvalidGrammar(f"minContains may be {MAX_CONTAINED}")
        if high is not None and high < low:
            return False
        others = True if high is None else self._negated(schema["contains"], "maxContains beside contains")
        if not low:
            return {"items": others} if high is not None else True
        return {"prefixItems": [schema["contains"]] * low, "items": others, "minItems": low}

    def _with_names_applied(self, schema: Schema) -> Schema:
        """Return the schema with the keywords about names of properties applied to those that it names."""
        declared = schema.get("properties", {})
        patterns, names = schema.get("patternProperties"), schema.get("propertyNames", True)
        if not patterns and (names is True or not declared):
            return schema
        properties: dict[str, AnySchema] = {}
        for name, schemas in member_schemas(schema, [*declared, *schema.get("required", ())]).items():
            properties[name] = _all_of(schemas) if self._is_name(names, name) else False
        if not declared:
            return {**schema, "properties": properties}
        made = {k: v for k, v in schema.items() if k not in ("patternProperties", "propertyNames")}
        return {**made, "properties": properties, "additionalProperties": False}

    def _is_name(self, names: AnySchema, name: str) -> bool:
        if isinstance(names, bool):
            return names
        return is_allowed(self._document.resolve(names), name)

    def _negated(self, schema: AnySchema, keyword: str) -> AnySchema:
        alternatives, is_whole = self._alternatives(schema, 0)
        if not alternatives and not is_whole:
            raise InvalidGrammar(f"{keyword} is not supported with a schema of these keywords")
        return _any_of(alternatives)

    def _alternatives(self, schema: AnySchema, depth: int) -> tuple[list[AnySchema], bool]:
        """Return schemas of values that do not match, and whether all such values match one of them."""
        self._num_negated += 1
        if self._num_negated > MAX_NEGATED or depth > MAX_NEGATED_DEPTH:
            raise InvalidGrammar("not and if make too many schemas; use fewer or simpler ones")
        if isinstance(schema, bool):
            return ([] if schema else [True]), True
        alternatives: list[AnySchema] = []
        is_whole = True
        for keyword, value in schema.items():
            found, is_all = self._of_keyword(keyword, value, depth + 1)
            alternatives += found
            is_whole &= is_all
        if schema.keys() & {"if", "contains", "dependentRequired", "dependentSchemas"}:
            is_whole = False
        return alternatives, is_whole

    def _of_keyword(self, keyword: str, value: Any, depth: int) -> tuple[list[AnySchema], bool]:
        match keyword:
            case "$ref":
                return self._alternatives(self._document.schemas[value], depth)
            case "not":
                return [value], True
            case "allOf":
                parts = [self._alternatives(member, depth) for member in value]
                return [one for found, _ in parts for one in found], all(whole for _, whole in parts)
            case "anyOf" | "oneOf":
                parts = [self._alternatives(member, depth) for member in value]
                is_whole = keyword == "anyOf" and all(whole for _, whole in parts)
                both = _all_of([_any_of(found) for found, _ in parts])
                return ([] if both is False else [both]), is_whole
            case "properties":
                return self._of_properties(value, depth)
        if keyword in _OPPOSITES:
            return _OPPOSITES[keyword](value), keyword not in _WITHOUT_OPPOSITE
        return [], keyword not in _WITHOUT_OPPOSITE

    def _of_properties(self, properties: Schema, depth: int) -> tuple[list[AnySchema], bool]:
        parts = {name: self._alternatives(inner, depth) for name, inner in properties.items()}
        found: list[AnySchema] = [
            {"type": "object", "required": [name], "properties": {name: _any_of(alternatives)}}
            for name, (alternatives, _) in parts.items()
            if alternatives
        ]
        return found, all(is_whole for _, is_whole in parts.values())


def _any_of(schemas: list[AnySchema]) -> AnySchema:
    possible = [schema for schema in schemas if schema is not False]
    if any(schema is True for schema in possible):
        return True
    return {"anyOf": possible} if len(possible) > 1 else possible[0] if possible else False


def _all_of(schemas: list[AnySchema]) -> AnySchema:
    if any(schema is False for schema in schemas):
        return False
    parts = [schema for schema in schemas if schema is not True]
    return {"allOf": parts} if len(parts) > 1 else parts[0] if parts else True


def _other_types(names: set[str]) -> list[AnySchema]:
    """Return the schema of the types that no value of these types has."""
    if names & {"integer", "number"}:
        names = names | {"integer", "number"}
    others = [name for name in TYPES if name not in names and name != "integer"]
    return [{"type": others}] if others else []


def _not_type(value: str | list[str]) -> list[AnySchema]:
    names = {value} if isinstance(value, str) else set(value)
    fractions = [{"type": "number", FRACTION: True}] if names & {"integer", "number"} == {"integer"} else []
    return [*_other_types(names), *fractions]


def _not_values(values: list[object]) -> list[AnySchema]:
    """Return the schemas of all other values, except those of objects and arrays where there are such."""
    found = _other_types({name for value in values for name in types_of_value(value)})
    strings = [value for value in values if isinstance(value, str)]
    if strings:
        texts = "|".join("".join(map(_escaped, text)) for text in strings)
        found.append({"type": "string", "pattern": f"^(?!(?:{texts})$)"})
    numbers = sorted(v for v in values if isinstance(v, int | float) and not isinstance(v, bool))
    if numbers:
        found.append({"type": "number", "exclusiveMaximum": numbers[0]})
        found += [
            {"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": high}
            for low, high in zip(numbers, numbers[1:], strict=False)
            if low < high
        ]
        found.append({"type": "number", "exclusiveMinimum": numbers[-1]})
    booleans = {value for value in values if isinstance(value, bool)}
    if len(booleans) == 1:
        found.append({"enum": [not booleans.pop()]})
    return found


def _escaped(character: str) -> str:
    """Return a regular expression of one character."""
    if character.isascii() and not character.isalnum():
        return f"\\x{ord(character):02x}"
    return character


def _bound(type_name: str, keyword: str, change: int = 0) -> Callable[[Any], list[AnySchema]]:
    def negate(value: Any) -> list[AnySchema]:
        if keyword.startswith("max") and change and value + change < 0:
            return []
        return [{"type": type_name, keyword: value + change if change else value}]

    return negate


def _without_match(pattern: str) -> Schema:
    return {"type": "string", "pattern": f"^(?![\\s\\S]*(?:{pattern}))"}


# All texts of a format have a match of these.
_SIGNS_OF_FORMATS = {
    "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "date-time": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ]",
    "time": "^[0-9]{2}:",
    "duration": "^P",
    "email": "@",
    "ipv4": "^[0-9.]+$",
    "ipv6": ":",
    "uri": ":",
    "uuid": "^[0-9a-fA-F-]+$",
}

_OPPOSITES: dict[str, Callable[[Any], list[AnySchema]]] = {
    "type": _not_type,
    "const": lambda value: _not_values([value]),
    "enum": _not_values,
    "required": lambda names: [{"type": "object", "properties": {name: False}} for name in names],
    "minimum": _bound("number", "exclusiveMaximum"),
    "maximum": _bound("number", "exclusiveMinimum"),
    "exclusiveMinimum": _bound("number", "maximum"),
    "exclusiveMaximum": _bound("number", "minimum"),
    "minLength": _bound("string", "maxLength", -1),
    "maxLength": _bound("string", "minLength", 1),
    "minItems": _bound("array", "maxItems", -1),
    "maxItems": _bound("array", "minItems", 1),
    "minProperties": _bound("object", "maxProperties", -1),
    "maxProperties": _bound("object", "minProperties", 1),
    "pattern": lambda pattern: [_without_match(pattern)],
    "format": lambda name: [_without_match(_SIGNS_OF_FORMATS[name])] if name in _SIGNS_OF_FORMATS else [],
    "items": lambda schema: [
        {"type": "array", "prefixItems": [{"not": schema}], "items": True, "minItems": 1}
    ],
}

# Not all values that do not match one of these can be said in other words.
_WITHOUT_OPPOSITE = frozenset(
    ("multipleOf", "format", "items", "prefixItems", "unevaluatedItems", "uniqueItems", "contains")
    + ("additionalProperties", "unevaluatedProperties", "patternProperties", "propertyNames")
    + ("if", "dependentRequired", "dependentSchemas", "$dynamicRef", "$recursiveRef")
)
