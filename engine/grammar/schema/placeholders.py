"""Restrictions that xgrammar's JSON Schema does not enforce, as rules of a grammar.

Such a schema is replaced by the constant of a placeholder; `layout` puts the rules in its place once xgrammar
has written the grammar of the rest.
"""

import json
from collections.abc import Callable
from decimal import Decimal

from engine.errors import InvalidGrammar
from engine.grammar.automata.automaton import Automaton, Work, linear_rules, literal, string_rules, text_rules
from engine.grammar.automata.numbers import MAX_DECIMALS, multiples_automaton
from engine.grammar.automata.regex import combined_automaton, pattern_width
from engine.grammar.regex_pattern import check_regex
from engine.grammar.schema.document import Schema
from engine.grammar.schema.keywords import BOUNDS, PATTERNS, num_matching_types
from engine.grammar.schema.strings import ENFORCED_FORMATS, FORMAT_PATTERNS

MAX_RULES = 2000  # of all placeholders of a document; each holds the automata of all
MAX_MULTIPLE = 1024
# States of a pattern's automaton times characters: a longer maxLength beside it is taken to be shorter.
MAX_COUNTED_STATES = 600
MAX_UNORDERED = 8  # values of a uniqueItems array in any order; more come in that of the enum

_STRING = ("pattern", PATTERNS, "format", "minLength", "maxLength")
_NUMBER = ("multipleOf", *BOUNDS)


class Placeholders:
    """The rules of a document's placeholders, by the names of these."""

    def __init__(self, source: str) -> None:
        """source: the JSON text of the document, in which no placeholder may stand already."""
        self._prefix = next(
            prefix for at in range(len(source) + 1) if (prefix := f"placeholder{at or ''}_") not in source
        )
        self.rules: dict[str, list[str]] = {}
        self._known: dict[str, str] = {}
        self._work = Work(10**6)

    def replace(self, schema: Schema) -> None:
        """Change the schema in place if xgrammar cannot enforce it itself. Raises InvalidGrammar if no
        automaton can either, or no value matches."""
        if isinstance(names := schema.get("propertyNames"), dict):
            self.replace(names)
        _drop_needless_lengths(schema)
        types = schema.get("type", "string" if any(keyword in schema for keyword in _STRING) else [])
        if num_matching_types("string", types) and _needs_string_automaton(schema):
            self._split(schema, types, {"string"}, _STRING, self._string)
        elif num_matching_types("number", types) and _needs_number_automaton(schema, types):
            self._split(schema, types, {"integer", "number"}, _NUMBER, self._number)
        elif (
            num_matching_types("array", types) and schema.get("uniqueItems") and schema.get("maxItems", 2) > 1
        ):
            self._split(schema, types, {"array"}, ("items", "minItems", "maxItems"), self._unique)
        schema.pop("uniqueItems", None)

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

    def _string(self, schema: Schema, name: str) -> list[str]:
        patterns = [*([schema["pattern"]] if "pattern" in schema else ()), *schema.get(PATTERNS, ())]
        if (format_name := schema.get("format")) in ENFORCED_FORMATS:
            if format_name not in FORMAT_PATTERNS:
                raise InvalidGrammar(f"format {format_name} beside pattern or a length is not supported")
            patterns.append(FORMAT_PATTERNS[format_name])
        for is_search in (False, True):
            made = combined_automaton(patterns, self._work, is_search=is_search)
            if (made := self._with_length(made, schema)).arcs:
                break
        return string_rules(_checked(made), name)

    def _with_length(self, automaton: Automaton, schema: Schema) -> Automaton:
        low, high = schema.get("minLength", 0), schema.get("maxLength")
        if not automaton.arcs or (not low and high is None):
            return automaton
        most = max(MAX_COUNTED_STATES // len(automaton.arcs), 1)
        if low > most:
            raise InvalidGrammar(f"minLength beside this pattern may be {most}; it is {low}")
        high = None if high is None else min(high, most)
        return automaton.with_length(low, high, self._work).pruned()

    def _number(self, schema: Schema, name: str) -> list[str]:
        multiple = schema["multipleOf"]
        step = Decimal(repr(multiple))
        if int(step.as_tuple().exponent) < -MAX_DECIMALS or int(step.scaleb(MAX_DECIMALS)) > 10**15:
            raise InvalidGrammar(f"multipleOf may have {MAX_DECIMALS} decimals")
        low, high = _bounds(schema, step, is_integer="number" not in schema["type"])
        made = multiples_automaton(
            multiple, low, high, is_integer="number" not in schema["type"], work=self._work
        )
        return text_rules(_checked(made), name)

    def _unique(self, schema: Schema, name: str) -> list[str]:
        items = schema.get("items")
        values = (
            items.get("enum", [items["const"]] if "const" in items else None)
            if isinstance(items, dict)
            else None
        )
        if isinstance(items, dict) and items.get("type") == "boolean" and values is None:
            values = [False, True]
        if values is None:
            raise InvalidGrammar("uniqueItems is supported of an enum alone")
        texts = [*dict.fromkeys(json.dumps(value, ensure_ascii=False) for value in values)]
        return _unique_rules(texts, schema.get("minItems", 0), schema.get("maxItems", len(texts)), name)


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


def _bounds(schema: Schema, step: Decimal, *, is_integer: bool) -> tuple[Decimal | None, Decimal | None]:
    """Return the inclusive bounds; an exclusive one is moved by less than a step."""
    exponent = min(int(step.as_tuple().exponent), 0)
    least = Decimal(1).scaleb(-(MAX_DECIMALS + 20) if not is_integer else -20)
    assert exponent >= -MAX_DECIMALS
    lows = [Decimal(repr(schema["minimum"]))] if "minimum" in schema else []
    highs = [Decimal(repr(schema["maximum"]))] if "maximum" in schema else []
    if "exclusiveMinimum" in schema:
        lows.append(_moved(Decimal(repr(schema["exclusiveMinimum"])), least))
    if "exclusiveMaximum" in schema:
        highs.append(_moved(Decimal(repr(schema["exclusiveMaximum"])), -least))
    for bound in (*lows, *highs):
        if abs(bound) > 10**18:
            raise InvalidGrammar("bounds beside multipleOf may have 18 digits")
    return max(lows, default=None), min(highs, default=None)


def _moved(bound: Decimal, by: Decimal) -> Decimal:
    if abs(bound) > 10**6:  # past it the precision of decimals would lose the difference
        return bound + (1 if by > 0 else -1) * Decimal(1).scaleb(-6)
    return bound + by


def _checked(automaton: Automaton) -> Automaton:
    if not automaton.arcs:
        raise InvalidGrammar("no value matches all restrictions")
    return automaton


def _unique_rules(texts: list[str], low: int, high: int, name: str) -> list[str]:
    """Return the rules of an array of different values: in any order up to MAX_UNORDERED, else in order."""
    high = min(high, len(texts))
    if low > high:
        raise InvalidGrammar("minItems is greater than the number of different items")
    if len(texts) * (high + 1) > MAX_RULES:
        raise InvalidGrammar("uniqueItems needs too many states; use fewer values or a smaller maxItems")
    is_ordered = len(texts) > MAX_UNORDERED
    # A state is the values used, or when they are in order, the last one and their number.
    numbers: dict[tuple[int, int], int] = {(0, 0): 0}
    waiting = [(0, 0)]
    states: list[list[tuple[str, int]]] = []
    for used, count in waiting:
        arcs = []
        for at, text in enumerate(texts) if count < high else ():
            if at < used if is_ordered else used >> at & 1:
                continue
            if is_ordered and len(texts) - at + count < low:
                continue
            target = (at + 1 if is_ordered else used | 1 << at), count + 1
            if target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
            arcs.append((literal(f"{', ' if count else ''}{text}"), numbers[target]))
        states.append(arcs)
    accepting = {number for (_, count), number in numbers.items() if count >= low}
    return [f'{name} ::= "[" {name}_0', *linear_rules(states, accepting, name, '"]"')]
