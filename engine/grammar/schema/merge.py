"""The rewriting of a JSON Schema into one in which every schema restricts its values in one way.

xgrammar reads $ref, anyOf, oneOf, allOf, enum or const as all of their schema. Here the keywords beside them
are merged into them: the schemas of allOf and the target of a $ref become one schema, those beside anyOf and
oneOf go into each alternative, and enum keeps the values that the others allow. Only schemas that need it are
changed, so that the places in later messages are the sender's.

Merged schemas that come back to themselves become definitions of their own.
"""

import json
from fractions import Fraction
from functools import reduce
from itertools import product
from math import lcm

from engine.errors import InvalidGrammar
from engine.grammar.schema.document import TOO_DEEP, Schema, SchemaDocument
from engine.grammar.schema.keywords import (
    IMPLIED_TYPE,
    PATTERNS,
    REFUSED,
    RESTRICTS,
    TYPES,
    WHOLE,
    num_matching_types,
    types_of_value,
)

MAX_MERGES = 2000  # of a document
MAX_MERGED_LENGTH = 2_000_000  # characters of all schemas that are merged
MAX_ALTERNATIVES = 256  # combinations of the alternatives of anyOf and oneOf beside each other

_HIGHEST = ("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum")
_LOWEST = ("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum")
_CHILDREN = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "propertyNames")
_MAPS = ("properties", "patternProperties", "$defs", "definitions")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_OBJECT_MEMBERS = ("properties", "patternProperties", "additionalProperties", "propertyNames")
_ALL = "allOf"

AnySchema = Schema | bool


def merged_document(document: SchemaDocument) -> Schema:
    """Return the root of an equal document, or one that allows less.

    Raises InvalidGrammar where restrictions contradict each other, or are too many to merge.
    """
    try:
        return _Merger(document).run()
    except RecursionError:
        raise InvalidGrammar(TOO_DEEP) from None


class _Merger:
    """The merged schemas of one document."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._definitions: dict[str, AnySchema] = {}
        self._names: dict[str, str] = {}  # of definitions, by what was merged
        self._open = set[str]()  # what is being merged
        self._moved: dict[str, str] = {}  # the names of definitions, by the places that they were at
        self._num_merges = 0
        self._length = 0

    def run(self) -> Schema:
        source = self._document.schemas["#"]
        root = self._schema(source, "#")
        if isinstance(root, bool):
            if not root:
                raise InvalidGrammar(
                    "JSON Schema: its restrictions contradict each other, so no value matches"
                )
            root = {}
        for keyword in ("$defs", "definitions"):
            if keyword in source:
                root[keyword] = {
                    name: self._schema(inner, f"#/{keyword}") for name, inner in source[keyword].items()
                }
        if self._definitions:
            root["$defs"] = {**root.get("$defs", {}), **self._definitions}
        return root

    def _schema(self, schema: object, place: str) -> AnySchema:
        """Return the schema with all inside it merged."""
        if isinstance(schema, bool):
            return schema
        assert isinstance(schema, dict)
        if _needs_merge(schema):
            return self._merge([schema], place)
        return self._finished(schema, place)

    def _resolved(self, schema: Schema, place: str) -> AnySchema:
        return self._merged([schema], place) if "$ref" in schema else self._schema(schema, place)

    def _merge(self, parts: list[AnySchema], place: str) -> AnySchema:
        """Return one schema for the values that match all parts."""
        key = json.dumps(parts, sort_keys=True)
        self._num_merges += 1
        self._length += len(key)
        if self._num_merges > MAX_MERGES or self._length > MAX_MERGED_LENGTH:
            raise InvalidGrammar(
                f"JSON Schema at {place}: too much has to be merged; use fewer allOf and $ref"
            )
        if key in self._names:
            return {"$ref": f"#/$defs/{self._names[key]}"}
        if key in self._open:
            self._names[key] = self._free_name()
            return {"$ref": f"#/$defs/{self._names[key]}"}
        self._open.add(key)
        made = self._merged(parts, place)
        self._open.remove(key)
        if key not in self._names:
            return made
        self._definitions[self._names[key]] = made
        return {"$ref": f"#/$defs/{self._names[key]}"}

    def _free_name(self) -> str:
        taken = {
            *self._document.schemas["#"].get("$defs", {}),
            *self._names.values(),
            *self._moved.values(),
        }
        return next(name for at in range(len(taken) + 1) if (name := f"merged {at}") not in taken)

    def _pointer(self, place: str) -> str:
        """Return the place of an equal schema in the merged document: another one, if merging moves it."""
        if self._stays(place):
            return place
        if place not in self._moved:
            self._moved[place] = name = self._free_name()
            self._definitions[name] = self._schema(self._document.schemas[place], place)
        return f"#/$defs/{self._moved[place]}"

    def _stays(self, place: str) -> bool:
        steps = place.split("/")
        if "oneOf" in steps:
            return False
        is_definition = steps[1:2] in (["$defs"], ["definitions"])
        return not any(
            _needs_merge(self._document.schemas.get("/".join(steps[:length]), {}))
            for length in range(2 if is_definition else 1, len(steps))
        )

    def _merged(self, parts: list[AnySchema], place: str) -> AnySchema:
        plain: list[Schema] = []
        alternatives: list[tuple[str, list[AnySchema]]] = []
        waiting, seen = list(reversed(parts)), set[str]()
        while waiting:
            part = waiting.pop()
            if part is False:
                return False
            if part is True:
                continue
            part = _without_unevaluated(part, place)
            if "$ref" in part or _ALL in part:
                waiting.append({k: v for k, v in part.items() if k not in ("$ref", _ALL)})
                waiting += reversed(part.get(_ALL, ()))
                if (reference := part.get("$ref", "")) not in seen and reference:
                    seen.add(reference)
                    waiting.append(self._document.schemas[reference])
                continue
            alternatives += [(keyword, part[keyword]) for keyword in ("anyOf", "oneOf") if keyword in part]
            plain.append({k: v for k, v in part.items() if k in RESTRICTS or k in _KEPT})
        base: Schema = {}
        for schema in plain:
            pair = self._pair(base, schema, place)
            if pair is None:
                return False
            base = pair
        if not alternatives:
            return self._plain(base, place)
        return self._distributed(base, alternatives, place)

    def _distributed(
        self, base: Schema, alternatives: list[tuple[str, list[AnySchema]]], place: str
    ) -> AnySchema:
        if reduce(lambda total, group: total * len(group[1]), alternatives, 1) > MAX_ALTERNATIVES:
            raise InvalidGrammar(
                f"JSON Schema at {place}: more than {MAX_ALTERNATIVES} combinations of alternatives"
            )
        keyword = "oneOf" if any(name == "oneOf" for name, _ in alternatives) else "anyOf"
        members = [
            self._merge([*([base] if base else []), *choice], f"{place}/{keyword}/{index}")
            for index, choice in enumerate(product(*(group for _, group in alternatives)))
        ]
        possible = [member for member in members if member is not False]
        return {keyword: possible} if len(possible) > 1 else possible[0] if possible else False

    def _pair(self, one: Schema, other: Schema, place: str) -> Schema | None:
        """Return the keywords of two schemas as one, children as allOf; None if no value matches both."""
        if "patternProperties" in one or "patternProperties" in other:
            beside = other if "patternProperties" in one else one
            if any(keyword in beside for keyword in _OBJECT_MEMBERS):
                raise InvalidGrammar(
                    f"JSON Schema at {place}: patternProperties merged with other properties is not supported"
                )
        result = {**one, **other}
        for keyword in one.keys() & other.keys():
            first, second = one[keyword], other[keyword]
            if keyword in _HIGHEST:
                result[keyword] = max(first, second)
            elif keyword in _LOWEST:
                result[keyword] = min(first, second)
            elif keyword == "required":
                result[keyword] = [*dict.fromkeys([*first, *second])]
            elif keyword in _CHILDREN:
                result[keyword] = _both(first, second)
            elif keyword == "multipleOf":
                result[keyword] = _common_multiple(first, second)
            elif keyword == "type":
                result[keyword] = _common_types(first, second)
                if not result[keyword]:
                    return None
            elif keyword == "enum":
                result[keyword] = [value for value in first if any(_is_equal(value, each) for each in second)]
            elif keyword == "const" and not _is_equal(first, second):
                return None
            elif keyword == "uniqueItems":
                result[keyword] = bool(first or second)
            elif keyword == "format" and first != second:
                raise InvalidGrammar(
                    f"JSON Schema at {place}: format {first!r} beside {second!r} is not supported"
                )
        if {"pattern", PATTERNS} & one.keys() and {"pattern", PATTERNS} & other.keys():
            patterns = [
                *dict.fromkeys(
                    p for part in (one, other) for p in [part.get("pattern"), *part.get(PATTERNS, ())]
                )
            ]
            result["pattern"], result[PATTERNS] = patterns[0], patterns[1:]
        properties = _merged_properties(one, other)
        if properties is not None:
            result["properties"] = properties
        if "prefixItems" in one or "prefixItems" in other:
            result["prefixItems"] = _merged_prefix(one, other)
        return result

    def _plain(self, base: Schema, place: str) -> AnySchema:
        """Return a schema of merged keywords, without those that its values make needless."""
        if (types := base.get("type")) is not None:
            base = {
                keyword: value
                for keyword, value in base.items()
                if keyword not in RESTRICTS or num_matching_types(RESTRICTS[keyword], types)
            }
        if any(keyword in base for keyword in WHOLE):
            return self._finite(base, place)
        if any(
            low in base and high in base and base[low] > base[high]
            for low, high in zip(_HIGHEST, _LOWEST, strict=True)
        ):
            return False
        return self._finished(base, place)

    def _finite(self, base: Schema, place: str) -> AnySchema:
        """Return the values of enum and const that the other keywords allow, as a schema."""
        values = base["enum"] if "enum" in base else [base["const"]]
        if "const" in base:
            values = [value for value in values if _is_equal(value, base["const"])]
        if refused := [keyword for keyword in base if keyword in REFUSED and base[keyword] is not False]:
            raise InvalidGrammar(
                f"JSON Schema at {place}: {refused[0]} beside enum or const is not supported"
            )
        allowed = [value for value in values if _allows(base, value, place)]
        return {"enum": allowed} if allowed else False

    def _finished(self, schema: Schema, place: str) -> AnySchema:
        """Return the schema with its children merged, and what it implies written out."""
        made = dict(schema)
        if "$ref" in made:
            made["$ref"] = self._pointer(made["$ref"])
        for keyword in _CHILDREN:
            if isinstance(inner := made.get(keyword), dict):
                # xgrammar reads no reference there, nor does the automaton of unique items.
                is_resolved = keyword == "propertyNames" or (keyword == "items" and made.get("uniqueItems"))
                resolve = self._resolved if is_resolved else self._schema
                made[keyword] = resolve(inner, f"{place}/{keyword}")
        for keyword in _MAPS[: 4 if place != "#" else 2]:
            if keyword in made:
                made[keyword] = {
                    name: self._schema(inner, f"{place}/{keyword}/{name}")
                    for name, inner in made[keyword].items()
                }
        for keyword in _LISTS:
            if keyword in made:
                made[keyword] = [
                    self._schema(inner, f"{place}/{keyword}/{index}")
                    for index, inner in enumerate(made[keyword])
                ]
        for keyword in ("anyOf", "oneOf"):
            if members := made.get(keyword):
                possible = [member for member in members if member is not False]
                if not possible:
                    return False
                # A place of anyOf may be referred to, so its number must not change.
                made[keyword] = (
                    possible
                    if keyword == "oneOf"
                    else [possible[0] if member is False else member for member in members]
                )
        if not any(keyword in made for keyword in WHOLE) and "type" not in made:
            implied = dict.fromkeys(RESTRICTS[keyword] for keyword in made if keyword in RESTRICTS)
            if implied:
                made["type"] = list(implied) if len(implied) > 1 else next(iter(implied))
                made[IMPLIED_TYPE] = True
        if False in (prefix := made.get("prefixItems", [])):
            made["prefixItems"] = prefix[: prefix.index(False)]
            made["items"] = False
            if made.get("minItems", 0) > len(made["prefixItems"]):
                return False
        if made.get("items") is False and "prefixItems" not in made and made.get("minItems", 0):
            return False
        return self._object(made, place)

    def _object(self, made: Schema, place: str) -> AnySchema:
        """Return the schema with all required names declared, and no property that no value can have."""
        if "patternProperties" in made or not num_matching_types("object", made.get("type", "null")):
            return made
        others = made.get("additionalProperties", made.get("unevaluatedProperties"))
        undeclared = [name for name in made.get("required", ()) if name not in made.get("properties", {})]
        if undeclared and not made.get("propertyNames"):
            if others is False:
                return self._without_objects(made, place)
            if not made.get("properties") and others is None:
                made["additionalProperties"] = True
            value = others if isinstance(others, dict) else {}
            made["properties"] = {**made.get("properties", {}), **dict.fromkeys(undeclared, value)}
        impossible = [name for name, value in made.get("properties", {}).items() if value is False]
        if any(name in made.get("required", ()) for name in impossible):
            return self._without_objects(made, place)
        if impossible and others:
            raise InvalidGrammar(
                f"JSON Schema at {place}/properties/{impossible[0]}: no value is allowed, which is not "
                "supported beside additionalProperties"
            )
        if impossible:
            made["properties"] = {k: v for k, v in made["properties"].items() if v is not False}
            if not made["properties"]:
                made["additionalProperties"] = False
        return made

    def _without_objects(self, made: Schema, place: str) -> AnySchema:
        """Return the schema for the other types that it allows."""
        types = made["type"]
        rest = [name for name in types if name != "object"] if isinstance(types, list) else []
        return self._plain({**made, "type": rest}, place) if rest else False


_KEPT = frozenset({"type", "enum", "const", "uniqueItems", PATTERNS, *REFUSED})


def _without_unevaluated(schema: Schema, place: str) -> Schema:
    """Return the schema with unevaluatedProperties as additionalProperties, since it stands alone."""
    if _needs_merge(schema):
        for keyword in ("unevaluatedProperties", "unevaluatedItems"):
            if schema.get(keyword, True) is not True:
                beside = next(keyword for keyword in WHOLE if keyword in schema)
                raise InvalidGrammar(f"JSON Schema at {place}: {keyword} beside {beside} is not supported")
    made = {keyword: value for keyword, value in schema.items() if keyword != "unevaluatedProperties"}
    if "unevaluatedProperties" in schema:
        made.setdefault("additionalProperties", schema["unevaluatedProperties"])
    return made


def _needs_merge(schema: Schema) -> bool:
    whole = [keyword for keyword in WHOLE if keyword in schema]
    beside = any(keyword in schema for keyword in RESTRICTS)
    if not whole:
        return False
    if len(whole) > 1 or beside or len(schema.get(_ALL, ())) > 1:
        return True
    return "type" in schema and whole[0] not in ("enum", "const")


def _both(one: AnySchema, other: AnySchema) -> AnySchema:
    if one is False or other is False:
        return False
    if one is True or one == other:
        return other
    return one if other is True else {_ALL: [one, other]}


def _merged_properties(one: Schema, other: Schema) -> dict[str, AnySchema] | None:
    if "properties" not in one and "properties" not in other:
        return None
    merged: dict[str, AnySchema] = {}
    for name in [*one.get("properties", {}), *other.get("properties", {})]:
        values = [
            part["properties"][name]
            if name in part.get("properties", {})
            else part.get("additionalProperties", True)
            for part in (one, other)
        ]
        merged[name] = _both(*values)
    return merged


def _merged_prefix(one: Schema, other: Schema) -> list[AnySchema]:
    length = max(len(part.get("prefixItems", ())) for part in (one, other))
    pairs = (
        [
            part["prefixItems"][at] if at < len(part.get("prefixItems", ())) else part.get("items", True)
            for part in (one, other)
        ]
        for at in range(length)
    )
    return [_both(*pair) for pair in pairs]


def _common_types(one: str | list[str], other: str | list[str]) -> str | list[str]:
    first, second = ([types] if isinstance(types, str) else types for types in (one, other))
    common = [name for name in TYPES if name in first and name in second]
    for some, others in ((first, second), (second, first)):
        if "integer" in some and "number" in others and "number" not in some and "integer" not in common:
            common.append("integer")
    return common[0] if len(common) == 1 else common


def _common_multiple(one: float, other: float) -> float:
    first, second = Fraction(repr(one)), Fraction(repr(other))
    common = Fraction(
        lcm(first.numerator * second.denominator, second.numerator * first.denominator),
        first.denominator * second.denominator,
    )
    return common.numerator if common.denominator == 1 else float(common)


def _is_equal(one: object, other: object) -> bool:
    return one == other and types_of_value(one) == types_of_value(other)


def _allows(schema: Schema, value: object, place: str) -> bool:
    """Return whether the keywords beside enum allow a value. Raises InvalidGrammar where that is unclear."""
    types = types_of_value(value)
    declared = schema.get("type")
    if declared is not None and not types & {*([declared] if isinstance(declared, str) else declared)}:
        return False
    matters = [
        keyword for keyword, type_name in RESTRICTS.items() if keyword in schema and type_name in types
    ]
    for keyword in matters:
        limit = schema[keyword]
        match keyword, value:
            case "minLength", str():
                holds = len(value) >= limit
            case "maxLength", str():
                holds = len(value) <= limit
            case "minimum", int() | float():
                holds = value >= limit
            case "maximum", int() | float():
                holds = value <= limit
            case "exclusiveMinimum", int() | float():
                holds = value > limit
            case "exclusiveMaximum", int() | float():
                holds = value < limit
            case "multipleOf", int() | float():
                holds = limit > 0 and not Fraction(repr(value)) % Fraction(repr(limit))
            case _:
                raise InvalidGrammar(
                    f"JSON Schema at {place}: {keyword} beside enum or const is not supported"
                )
        if not holds:
            return False
    return True
