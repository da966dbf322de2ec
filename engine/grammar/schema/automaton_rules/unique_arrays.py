"""The rules of arrays whose items have to be different.

No context-free grammar compares items, so the rules allow equal ones; `engine.grammar.run_time.unique_items`
excludes these while a text is generated. It needs to know in which such array a text is, and what may
follow. So each array has a marker, which its rules allow in place of an item, and which no token may have;
and its items have one text for each value, and an automaton of these.
"""

from collections.abc import Mapping

from engine.grammar.automata.automaton import Automaton, Work, literal, text_rules
from engine.grammar.automata.encoding import json_string, utf8
from engine.grammar.automata.net import Net
from engine.grammar.automata.regex import regex_automaton
from engine.grammar.run_time.unique_items import MARK, UniqueItems
from engine.grammar.schema.automaton_rules.value_automata import number_automaton, string_automaton
from engine.grammar.schema.keywords import BOUNDS
from engine.grammar.schema.merging.values import canonical_text
from engine.grammar.schema.walk import Schema
from engine.port.errors import InvalidGrammar

MAX_ITEMS = 256  # of an array; a larger maxItems is taken to be this
MAX_DEPTH = 8  # of references and schemas inside an item

# Numbers that are different as they are written, and also as floating-point numbers of 64 bits.
_PLAIN_NUMBER = r"^(?!-0$)-?(?:0|[1-9]\d{0,8})(?:\.\d{0,5}[1-9])?$"
_ANYTHING: Schema = {}
_NOTHING: Schema = {"enum": []}
_SCALARS = ["string", "number", "boolean", "null"]


def unique_array_rules(
    schema: Schema, name: str, number: int, schemas: Mapping[str, Schema], work: Work
) -> tuple[list[str], UniqueItems]:
    """Return the EBNF rules, from `name` on, of an array of different items, and what enforces that they are
    different.

    number: that of the array in its document. schemas: those that $ref may lead to. Raises InvalidGrammar
    where items cannot be told apart by an automaton.
    """
    items = _ItemTexts(schemas, work).automaton(schema.get("items", True))
    num_values = items.num_texts()[0]
    low = schema.get("minItems", 0)
    high = min(schema.get("maxItems", MAX_ITEMS), MAX_ITEMS if num_values is None else num_values, MAX_ITEMS)
    if low > high:
        cause = f"there are {high} different ones" if high == num_values else f"{high} are supported"
        raise InvalidGrammar(f"minItems is {low} beside uniqueItems, where {cause}")
    marker = f"{MARK}{number}{MARK}"
    item = f"{name}_item"
    array = f'"[" {item} (", " {item}){{{max(low, 1) - 1},{high - 1}}} "]"'
    rules = [
        f"{name} ::= {array}{' | ' + literal('[]') if not low else ''}",
        f"{item} ::= {name}_text | {literal(marker)}",
        *text_rules(items, f"{name}_text"),
    ]
    encoded = utf8(items, work)
    return rules, UniqueItems(marker, encoded.arcs, sorted(encoded.accepting))


class _ItemTexts:
    """The automata of the JSON texts of values, with one text for each value."""

    def __init__(self, schemas: Mapping[str, Schema], work: Work) -> None:
        self._schemas = schemas
        self._work = work
        self._net = Net("uniqueItems needs an automaton with too many states for its items")

    def automaton(self, schema: object) -> Automaton:
        start = self._net.node()
        end = self._value(start, schema, 0)
        found = self._net.deterministic(
            self._net.closure([start], self._work), lambda nodes: end in nodes, self._work
        ).minimal(self._work)
        if not found.arcs:
            raise InvalidGrammar("no item matches all restrictions beside uniqueItems")
        return found

    def _value(self, start: int, schema: object, depth: int) -> int:
        """Add the texts of the schema's values behind `start`; return the last node."""
        if depth > MAX_DEPTH:
            raise InvalidGrammar(f"items beside uniqueItems may be nested {MAX_DEPTH} deep")
        if not isinstance(schema, dict):
            schema = _ANYTHING if schema else _NOTHING
        if "$ref" in schema:
            return self._value(start, self._schemas[schema["$ref"]], depth + 1)
        for keyword in ("anyOf", "oneOf", "allOf"):
            if keyword in schema:
                ends = [self._value(start, member, depth + 1) for member in schema[keyword]]
                return self._joined(ends)
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            return self._joined([self._net.text(start, canonical_text(value)) for value in values])
        declared = schema.get("type", _SCALARS)
        types = [declared] if isinstance(declared, str) else declared
        if "number" in types:
            types = [name for name in types if name != "integer"]
        return self._joined([self._typed(start, schema, name, depth) for name in types])

    def _typed(self, start: int, schema: Schema, type_name: str, depth: int) -> int:
        net = self._net
        match type_name:
            case "string":
                return net.automaton(start, json_string(string_automaton(schema, self._work), self._work))
            case "integer":
                return net.automaton(start, number_automaton({**schema, "type": "integer"}, self._work))
            case "number":
                return net.automaton(start, self._numbers(schema))
            case "boolean":
                return self._joined([net.text(start, "true"), net.text(start, "false")])
            case "null":
                return net.text(start, "null")
            case "array":
                return self._array(start, schema, depth)
            case _:
                return self._object(start, schema, depth)

    def _numbers(self, schema: Schema) -> Automaton:
        plain = regex_automaton(_PLAIN_NUMBER, self._work)
        if not any(keyword in schema for keyword in ("multipleOf", *BOUNDS)):
            return plain.minimal(self._work)
        multiples = number_automaton({"multipleOf": 1e-6, **schema, "type": "number"}, self._work)
        return multiples.intersection(plain, self._work).minimal(self._work)

    def _array(self, start: int, schema: Schema, depth: int) -> int:
        if schema.get("uniqueItems") and schema.get("maxItems", 2) > 1:
            raise InvalidGrammar("uniqueItems inside an item of uniqueItems is not supported")
        prefix = schema.get("prefixItems", [])
        others = schema.get("items", not prefix)
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        if others is False:
            high = min(len(prefix), high if high is not None else len(prefix))
        net = self._net
        at = net.text(start, "[")
        ends = [at] if not low else []
        num_counted = max(low, len(prefix)) if high is None else high
        for number in range(num_counted):
            separated = net.text(at, ", ") if number else at
            at = self._value(separated, prefix[number] if number < len(prefix) else others, depth + 1)
            if number + 1 >= low:
                ends.append(at)
        if high is None and others is not False:
            first = net.after(at)
            last = self._value(net.text(first, ", ") if num_counted else first, others, depth + 1)
            ends.append(last)
            if num_counted:
                net.jumps[last].append(first)
            else:
                again = net.after(last)
                following = self._value(net.text(again, ", "), others, depth + 1)
                net.jumps[following].append(again)
                ends.append(following)
        return net.text(self._joined(ends), "]")

    def _object(self, start: int, schema: Schema, depth: int) -> int:
        properties = schema.get("properties")
        counted = next((k for k in ("minProperties", "maxProperties") if k in schema), None)
        if not properties and schema.get("additionalProperties", True) is not False:
            raise InvalidGrammar("items beside uniqueItems may be objects only if their properties are named")
        for keyword in ("patternProperties", "propertyNames", *([counted] if counted else [])):
            if schema.get(keyword):
                raise InvalidGrammar(f"{keyword} in an item of uniqueItems is not supported")
        net = self._net
        empty: int | None = net.text(start, "{")  # where no property has been written yet
        filled: int | None = None  # where one has
        for name, inner in (properties or {}).items():
            key = f"{canonical_text(name)}: "
            starts = [net.text(empty, key)] if empty is not None else []
            starts += [net.text(filled, f", {key}")] if filled is not None else []
            written = self._value(self._joined(starts), inner, depth + 1)
            if name in schema.get("required", ()):
                empty, filled = None, written
            else:
                filled = written if filled is None else self._joined([filled, written])
        return net.text(self._joined([node for node in (empty, filled) if node is not None]), "}")

    def _joined(self, ends: list[int]) -> int:
        """Return a node behind all of these."""
        joined = self._net.node()
        for end in ends:
            self._net.jumps[end].append(joined)
        return joined
