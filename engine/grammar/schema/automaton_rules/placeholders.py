"""Restrictions that xgrammar's JSON Schema does not enforce, as rules of a grammar.

Such a schema is replaced by the constant of a placeholder; `layout` puts the rules in its place once xgrammar
has written the grammar of the rest.
"""

import json
from collections.abc import Callable
from functools import partial

from engine.grammar.automata.automaton import Work, string_rules, text_rules
from engine.grammar.automata.regex import pattern_width
from engine.grammar.regex_pattern import check_regex
from engine.grammar.run_time.string_lengths import StringLength
from engine.grammar.run_time.unique_items import UniqueItems
from engine.grammar.schema.automaton_rules.counted_strings import (
    CountedString,
    Spans,
    character_rules,
    counted_in_grammar,
    counted_rules,
    counted_string,
)
from engine.grammar.schema.automaton_rules.unique_arrays import unique_array_rules
from engine.grammar.schema.automaton_rules.value_automata import number_automaton, string_automaton
from engine.grammar.schema.document import SchemaDocument, named_place
from engine.grammar.schema.keywords import BOUNDS, PATTERNS, num_matching_types
from engine.grammar.schema.rewriting.strings import ENFORCED_FORMATS, FORMAT_PATTERNS
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

MAX_RULES = 2000  # of all placeholders of a document; each holds the automata of all
MAX_UNIQUE_ARRAYS = 16  # of a document, not counting equal ones

_STRING = ("pattern", PATTERNS, "format", "minLength", "maxLength")
_NUMBER = ("multipleOf", *BOUNDS)
_ARRAY = ("items", "minItems", "maxItems", "uniqueItems")


class Placeholders:
    """The rules of a document's placeholders, by the names of these."""

    def __init__(self, source: str, first_array: int = 0, *, counts_strings: bool = True) -> None:
        """Choose a prefix that the document does not have.

        source: the JSON text of the document. first_array: the number of the first array of unique items.
        counts_strings: whether strings may be counted at run time.
        """
        self._prefix = next(
            prefix for at in range(len(source) + 1) if (prefix := f"placeholder{at or ''}_") not in source
        )
        self._first_array = first_array
        self.rules: dict[str, list[str]] = {}
        self.unique_items: list[UniqueItems] = []
        self.string_lengths: list[StringLength] = []
        self._counts_strings = counts_strings
        self._characters: dict[Spans, str] = {}  # the names of rules
        self._known: dict[str, str] = {}
        self._work = Work(10**6)

    def replace_all(self, document: SchemaDocument) -> None:
        """Change the schemas in place that xgrammar cannot enforce itself. Raises InvalidGrammar, naming the
        place, if no automaton can either, or no value matches."""
        within = set[str]()
        schemas = document.schemas
        in_grammar = counted_in_grammar(document) if self._counts_strings else {*map(id, schemas.values())}
        for place, schema in document.schemas.items():
            if _has_unique_items(schema):
                within.add(f"{place}/items")
                with named_place(place):
                    self._replace_array(schema, document)
            schema.pop("uniqueItems", None)
        for place, schema in document.schemas.items():
            if not any(place == outer or place.startswith(f"{outer}/") for outer in within):
                with named_place(place):
                    self._replace(schema, counts=id(schema) not in in_grammar)

    def _replace_array(self, schema: Schema, document: SchemaDocument) -> None:
        def make(own: Schema, name: str) -> list[str]:
            if len(self.unique_items) == MAX_UNIQUE_ARRAYS:
                raise InvalidGrammar(f"uniqueItems is supported of {MAX_UNIQUE_ARRAYS} different arrays")
            number = self._first_array + len(self.unique_items)
            rules, enforced = unique_array_rules(own, name, number, document.schemas, self._work)
            self.unique_items.append(enforced)
            return rules

        if schema.get("prefixItems"):
            raise InvalidGrammar("uniqueItems beside prefixItems is not supported")
        self._split(schema, schema["type"], {"array"}, _ARRAY, make)

    def _replace(self, schema: Schema, *, counts: bool) -> None:
        if isinstance(names := schema.get("propertyNames"), dict):
            self._replace(names, counts=False)
        _drop_needless_lengths(schema)
        types = schema.get("type", "string" if any(keyword in schema for keyword in _STRING) else [])
        has_strings = num_matching_types("string", types) > 0
        if has_strings and counts and (string := counted_string(schema)) is not None:
            self._split(schema, types, {"string"}, _STRING, partial(self._counted, string))
        elif has_strings and _needs_string_automaton(schema):
            self._split(schema, types, {"string"}, _STRING, self._string)
        elif num_matching_types("number", types) and _needs_number_automaton(schema, types):
            self._split(schema, types, {"integer", "number"}, _NUMBER, self._number)

    def _split(
        self,
        schema: Schema,
        types: str | list[str],
        replaced: set[str],
        keywords: tuple[str, ...],
        make: Callable[[Schema, str], list[str]],
    ) -> None:
        """Replace what the schema says of some types by a placeholder, and keep it for the others."""
        names = [types] if isinstance(types, str) else types
        own = {"type": [name for name in names if name in replaced]}
        own |= {keyword: schema[keyword] for keyword in keywords if keyword in schema}
        key = json.dumps(own, sort_keys=True)
        if key not in self._known:
            self._known[key] = name = f"{self._prefix}{len(self._known)}"
            self.rules[name] = make(own, name)
            if (total := sum(map(len, self.rules.values()))) > MAX_RULES:
                raise InvalidGrammar(f"with it, automata come to {total} states; {MAX_RULES} are supported")
        constant = {"const": self._known[key]}
        rest = {keyword: value for keyword, value in schema.items() if keyword not in keywords}
        others = [name for name in names if name not in replaced]
        schema.clear()
        for keyword in ("$defs", "definitions"):
            if keyword in rest:
                schema[keyword] = rest.pop(keyword)
        schema |= {"anyOf": [constant, {**rest, "type": others}]} if others else constant

    def _counted(self, string: CountedString, schema: Schema, name: str) -> list[str]:
        if string.length not in self.string_lengths:
            self.string_lengths.append(string.length)
        rules = []
        if string.characters not in self._characters:
            self._characters[string.characters] = characters = f"{name}_characters"
            rules = character_rules(string.characters, characters)
        return [*counted_rules(string, name, self._characters[string.characters]), *rules]

    def _string(self, schema: Schema, name: str) -> list[str]:
        return string_rules(string_automaton(schema, self._work), name)

    def _number(self, schema: Schema, name: str) -> list[str]:
        return text_rules(number_automaton(schema, self._work), name)


def _has_unique_items(schema: Schema) -> bool:
    has_arrays = num_matching_types("array", schema.get("type", [])) > 0
    return has_arrays and bool(schema.get("uniqueItems")) and schema.get("maxItems", 2) > 1


def _drop_needless_lengths(schema: Schema) -> None:
    """Drop the lengths that all strings of the pattern or the format have; in place."""
    pattern = schema.get("pattern") or FORMAT_PATTERNS.get(schema.get("format", ""))
    if pattern is None or PATTERNS in schema or {"pattern", "format"} <= schema.keys():
        return
    low, high = pattern_width(pattern)
    if schema.get("minLength", 0) <= low and high <= schema.get("maxLength", high):
        schema.pop("minLength", None)
        schema.pop("maxLength", None)


def _needs_string_automaton(schema: Schema) -> bool:
    has_pattern = "pattern" in schema
    has_format = schema.get("format") in ENFORCED_FORMATS
    has_length = "minLength" in schema or "maxLength" in schema
    if has_pattern + has_format + has_length > 1 or PATTERNS in schema:
        return True
    if has_pattern:
        try:
            check_regex(schema["pattern"], inside_json=True)
        except InvalidGrammar:
            return True
    return False


def _needs_number_automaton(schema: Schema, types: str | list[str]) -> bool:
    multiple = schema.get("multipleOf")
    if multiple is None:
        return False
    return "number" in types or not isinstance(multiple, int) or any(bound in schema for bound in BOUNDS)
