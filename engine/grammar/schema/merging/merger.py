"""The walk through a document that merges keywords which stand beside each other.

The rules of a grammar are written from one keyword of $ref, anyOf, oneOf, allOf, enum and const, or from all
others. Here the keywords beside one of these are merged into it: the schemas of allOf and the target of a
$ref become one schema, those beside anyOf and oneOf go into each alternative, and enum keeps the values that
the others allow. Only schemas that need it are changed, so that the places in later messages are the
sender's.

Merged schemas that come back to themselves become definitions of their own.
"""

import json
from functools import reduce

from engine.grammar.schema.document import SchemaDocument, named_place
from engine.grammar.schema.keywords import PATTERNS, REFUSED, RESTRICTS, UNEVALUATED, WHOLE
from engine.grammar.schema.merging.normal_form import normal_form, without_foreign, without_unevaluated
from engine.grammar.schema.merging.pairs import CHILDREN, HIGHEST, LOWEST, AnySchema, NoValue, merged_pair
from engine.grammar.schema.merging.values import allowed_values, values_named
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

MAX_MERGES = 6000  # of a document
MAX_MERGED_LENGTH = 2_000_000  # characters of all schemas that are merged
MAX_PARTS = 20_000  # schemas and targets of $ref that are merged, counted each time
MAX_ALTERNATIVES = 512  # combinations of the alternatives of anyOf and oneOf beside each other
MAX_UNTRIED = 16  # combinations of some of them that are gone on with, whether a value matches or not

_DEFINITIONS = ("$defs", "definitions")
_MAPS = ("properties", "patternProperties")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_KEPT = frozenset({"type", "enum", "const", "uniqueItems", PATTERNS, *REFUSED})


def merged_document(document: SchemaDocument) -> Schema:
    """Return the root of an equal document, or one that allows less.

    Raises InvalidGrammar where restrictions contradict each other, or are too many to merge.
    """
    return _Merger(document).run()


class _Merger:
    """The merged schemas of one document."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._definitions: dict[str, AnySchema] = {}
        self._names: dict[str, str] = {}  # of definitions, by what was merged
        self._open = set[str]()  # what is being merged
        self._moved: dict[str, str] = {}  # the names of definitions, by the places that they were at
        self._num_merges = 0
        self._num_parts = 0
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
        for keyword in _DEFINITIONS:
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
        """Return one schema for the values that match all parts, or a reference to it."""
        key = json.dumps(parts, sort_keys=True)
        self._num_merges += 1
        self._length += len(key)
        if self._num_merges > MAX_MERGES or self._length > MAX_MERGED_LENGTH:
            raise _too_much(place)
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
        is_definition = steps[1:2] in ([name] for name in _DEFINITIONS)
        return not any(
            _needs_merge(self._document.schemas.get("/".join(steps[:length]), {}))
            for length in range(2 if is_definition else 1, len(steps))
        )

    def _merged(self, parts: list[AnySchema], place: str) -> AnySchema:
        parts, unevaluated = _split_unevaluated(parts)
        flat = self._flat_parts(parts, place)
        if flat is None:
            return False
        alternatives: list[tuple[str, list[AnySchema]]] = [
            (keyword, part[keyword]) for part in flat for keyword in ("anyOf", "oneOf") if keyword in part
        ]
        plain = [{k: v for k, v in part.items() if k in RESTRICTS or k in _KEPT} for part in flat]
        try:
            with named_place(place):
                base = reduce(merged_pair, plain, Schema())
        except NoValue:
            return False
        if not alternatives:
            return self._plain({**unevaluated, **base}, place)
        return self._distributed(base, alternatives, place)

    def _flat_parts(self, parts: list[AnySchema], place: str) -> list[Schema] | None:
        """Return the parts with the targets of $ref and the schemas of allOf beside them; None if one of
        them is false."""
        flat: list[Schema] = []
        waiting, seen = list(reversed(parts)), set[str]()
        while waiting:
            part = waiting.pop()
            self._num_parts += 1
            if self._num_parts > MAX_PARTS:
                raise _too_much(place)
            if part is False:
                return None
            if part is True:
                continue
            _check_unevaluated(part, place)
            part = without_unevaluated(part)
            if "$ref" not in part and "allOf" not in part:
                flat.append(part)
                continue
            waiting.append({k: v for k, v in part.items() if k not in ("$ref", "allOf")})
            waiting += reversed(part.get("allOf", ()))
            if (reference := part.get("$ref", "")) not in seen and reference:
                seen.add(reference)
                waiting.append(self._document.schemas[reference])
        return flat

    def _distributed(
        self, base: Schema, alternatives: list[tuple[str, list[AnySchema]]], place: str
    ) -> AnySchema:
        """Return the combinations of alternatives, each merged with the base."""
        keyword = "oneOf" if any(name == "oneOf" for name, _ in alternatives) else "anyOf"
        choices: list[list[AnySchema]] = [[base] if base else []]
        for _, group in alternatives:
            choices = [[*choice, member] for choice in choices for member in group]
            if len(choices) > MAX_UNTRIED:  # most conditions about one property exclude each other
                choices = [choice for choice in choices if self._merged(choice, place) is not False]
            if len(choices) > MAX_ALTERNATIVES:
                raise InvalidGrammar(
                    f"JSON Schema at {place}: more than {MAX_ALTERNATIVES} combinations of alternatives"
                )
        members = [self._merge(choice, f"{place}/{keyword}/{index}") for index, choice in enumerate(choices)]
        possible = [member for member in members if member is not False]
        return {keyword: possible} if len(possible) > 1 else possible[0] if possible else False

    def _plain(self, base: Schema, place: str) -> AnySchema:
        """Return a schema of merged keywords, without those that its values make needless."""
        base = without_foreign(base)
        if any(keyword in base for keyword in WHOLE):
            with named_place(place):
                values = allowed_values(base)
            return {"enum": values} if values else False
        if any(
            low in base and high in base and base[low] > base[high]
            for low, high in zip(HIGHEST, LOWEST, strict=True)
        ):
            return False
        return self._finished(base, place)

    def _finished(self, schema: Schema, place: str) -> AnySchema:
        """Return the schema with its children merged, in normal form."""
        made = dict(schema)
        if "$ref" in made:
            made["$ref"] = self._pointer(made["$ref"])
        for keyword in CHILDREN:
            if isinstance(inner := made.get(keyword), dict):
                # The names of properties are read from the schema itself.
                resolve = self._resolved if keyword == "propertyNames" else self._schema
                made[keyword] = resolve(inner, f"{place}/{keyword}")
        for keyword in _MAPS if place == "#" else (*_MAPS, *_DEFINITIONS):
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
        with named_place(place):
            return normal_form(made)


def _too_much(place: str) -> InvalidGrammar:
    return InvalidGrammar(f"JSON Schema at {place}: too much has to be merged; use fewer allOf and $ref")


def _split_unevaluated(parts: list[AnySchema]) -> tuple[list[AnySchema], Schema]:
    """Return the only part without what it says of unevaluated members where it has no alternatives, and that
    as said of additional ones: whatever is beside it is part of it."""
    part = parts[0]
    if len(parts) > 1 or isinstance(part, bool) or any(keyword in part for keyword in ("anyOf", "oneOf")):
        return parts, {}
    found = {
        plain: part[keyword] for keyword, plain in UNEVALUATED.items() if part.get(keyword, True) is not True
    }
    return [{keyword: value for keyword, value in part.items() if keyword not in UNEVALUATED}], found


def _check_unevaluated(schema: Schema, place: str) -> None:
    """Raise InvalidGrammar for unevaluated members beside a keyword that evaluates some."""
    if _needs_merge(schema):
        for keyword in UNEVALUATED:
            if schema.get(keyword, True) is not True:
                beside = next(keyword for keyword in WHOLE if keyword in schema)
                raise InvalidGrammar(f"JSON Schema at {place}: {keyword} beside {beside} is not supported")


def _needs_merge(schema: Schema) -> bool:
    whole = [keyword for keyword in WHOLE if keyword in schema]
    if not whole:
        return False
    if len(whole) > 1 or len(schema.get("allOf", ())) > 1 or any(keyword in schema for keyword in RESTRICTS):
        return True
    if whole[0] in ("enum", "const"):
        return "type" in schema and allowed_values(schema) != values_named(schema)
    return "type" in schema
