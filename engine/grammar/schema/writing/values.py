"""The rules of a JSON Schema's values.

Values have one layout, that of Python's json.dumps: a blank after each comma and colon. Whitespace that is
optional would let a model write nothing else for ever. Properties come in the order of the schema.
"""

import json
from collections.abc import Sequence
from typing import Final

from engine.grammar.lark.lark_grammar import LarkGrammar, literal
from engine.grammar.run_time.unique_items import END_MARK, ITEM_MARK
from engine.grammar.schema.document import ALTERNATIVES, SchemaDocument, named_place
from engine.grammar.schema.enforceable_document import enforceable_document
from engine.grammar.schema.keywords import TYPES
from engine.grammar.schema.merging.pairs import NoValue
from engine.grammar.schema.merging.values import canonical_text, values_named
from engine.grammar.schema.rules import only_names
from engine.grammar.schema.walk import Schema
from engine.grammar.schema.writing.scalars import JsonScalars
from engine.port.errors import InvalidGrammar
from verbatim_kit.json_pointer import escaped_step

MAX_UNIQUE_ITEMS: Final = 256  # of an array; a larger maxItems is taken to be this
_SCALARS: Final = ("string", "number", "boolean", "null")
_ANYWHERE: Final = ""  # the place of the schema `true`, whose values are the same wherever it is
_MAX_EXPRESSION: Final = 1000  # characters; a longer one gets a rule of its own, so that it is written once


def schema_rule(grammar: LarkGrammar, schema: object, *, max_whitespace: int | None = None) -> str:
    """Return the name of a rule of the values of a schema.

    max_whitespace: how many characters of whitespace may stand between two tokens of JSON; None for the one
        layout. Raises InvalidGrammar, naming the place, for a schema that is malformed, out of bounds, or
        would be loosened.
    """
    return _Rules(grammar, enforceable_document(schema), max_whitespace).value("#")


class _Rules:
    """The rules of one document.

    Rules of items, of arrays with uniqueItems, are written so that each value has one text.
    """

    def __init__(self, grammar: LarkGrammar, document: SchemaDocument, max_whitespace: int | None) -> None:
        self._grammar = grammar
        self._document = document
        self._scalars = JsonScalars(grammar)
        self._names: dict[tuple[str, bool], str] = {}
        self._open: dict[tuple[str, bool], str] = {}  # the names of those being written
        self._held: set[tuple[str, bool]] = set()  # those that hold themselves
        self._blank = grammar.rule(f"/[ \\n\\r\\t]{{1,{max_whitespace}}}/?") if max_whitespace else ""
        self._has_layout = has_layout = max_whitespace is None
        self._comma = '", "' if has_layout else self._spaced('","')
        self._colon = '": "' if has_layout else self._spaced('":"')

    def _spaced(self, token: str) -> str:
        return f"{self._blank} {token} {self._blank}" if self._blank else token

    def value(self, place: str, *, is_item: bool = False) -> str:
        """Return the name of the rule of the values of the schema at a place; one with the same values as
        another has its name."""
        key = place, is_item
        if key in self._open:
            self._held.add(key)
            return self._open[key]
        if key not in self._names:
            self._open[key] = name = self._grammar.new_rule()
            with named_place(place):
                schema = {} if place == _ANYWHERE else self._document.schemas[place]
                body = self._body(place, schema, is_item)
            if key in self._held:
                self._grammar.define(name, body)
            self._names[key] = name if key in self._held else self._grammar.rule(body)
            del self._open[key]
        return self._names[key]

    def _inner(self, place: str, schema: object, is_item: bool) -> str | None:
        """Return the name of the rule of a schema inside another; None if it is false."""
        if schema is False:
            return None
        return self.value(_ANYWHERE if schema is True else place, is_item=is_item)

    def _body(self, place: str, schema: Schema, is_item: bool) -> str:
        if "$ref" in schema:
            return self.value(schema["$ref"], is_item=is_item)
        for keyword in ALTERNATIVES:
            if keyword in schema:
                members = [
                    self._inner(f"{place}/{keyword}/{at}", member, is_item)
                    for at, member in enumerate(schema[keyword])
                ]
                return " | ".join(dict.fromkeys(member for member in members if member))
        if (values := values_named(schema)) is not None:
            write = canonical_text if is_item else _text
            texts = dict.fromkeys(map(write, values))
            return self._grammar.terminal(" | ".join(map(literal, texts)))
        declared = schema.get("type", _SCALARS if is_item else TYPES)
        return self._typed(place, schema, [declared] if isinstance(declared, str) else declared, is_item)

    def _typed(self, place: str, schema: Schema, types: Sequence[str], is_item: bool) -> str:
        if "number" in types:
            types = [name for name in types if name != "integer"]
        found: list[str] = []
        refusals: list[NoValue] = []
        for name in types:
            try:
                found.append(self._of_type(place, schema, name, is_item))
            except NoValue as refusal:
                refusals.append(refusal)
        if not found:
            raise InvalidGrammar(str(refusals[0]))
        return " | ".join(found)

    def _of_type(self, place: str, schema: Schema, type_name: str, is_item: bool) -> str:
        match type_name:
            case "string":
                return self._scalars.string(schema, is_canonical=is_item)
            case "integer":
                return self._scalars.integer(schema, is_canonical=is_item)
            case "number":
                return self._scalars.number(schema, is_canonical=is_item)
            case "boolean":
                return '"true" | "false"'
            case "null":
                return '"null"'
            case "array":
                return self._array(place, schema, is_item)
            case _:
                return self._object(place, schema, is_item)

    def _enclosed(self, opening: str, inside: str, closing: str) -> str:
        parts = (
            literal(opening),
            self._blank,
            f"({inside})" if inside else "",
            self._blank,
            literal(closing),
        )
        return " ".join(part for part in parts if part)

    # Arrays

    def _array(self, place: str, schema: Schema, is_item: bool) -> str:
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        is_unique = bool(schema.get("uniqueItems")) and (high is None or high > 1)
        if is_unique and is_item:
            raise InvalidGrammar("uniqueItems inside an item of uniqueItems is not supported")
        if is_unique and not self._has_layout:  # as a text for each value needs
            return _Rules(self._grammar, self._document, None)._array(place, schema, is_item)
        prefix = schema.get("prefixItems", [])
        others = schema.get("items", not prefix)
        found = (
            self._inner(f"{place}/prefixItems/{at}", item, is_item or is_unique)
            for at, item in enumerate(prefix)
        )
        rules = [rule for rule in found if rule is not None]  # the normal form has no false ones
        item = self._inner(f"{place}/items", others, is_item or is_unique)
        if not is_unique:
            return self._enclosed("[", self._items(rules, item, low, high), "]")
        if low > MAX_UNIQUE_ITEMS:
            raise InvalidGrammar(f"minItems beside uniqueItems may be {MAX_UNIQUE_ITEMS}; it is {low}")
        num_values = self._num_values(others)
        if num_values is not None and low > num_values:
            raise NoValue(
                f"minItems is {low} beside uniqueItems, where there are {num_values} different items"
            )
        number = self._grammar.new_unique_array(len(rules))
        mark, end = literal(ITEM_MARK + number + ITEM_MARK), literal(END_MARK + number + END_MARK)
        marked = [
            self._grammar.rule(f"{rule} {end}? | {mark}") for rule in (*rules, *([item] if item else ()))
        ]
        others_marked = marked.pop() if item else None
        inside = self._items(marked, others_marked, low, min(high or MAX_UNIQUE_ITEMS, MAX_UNIQUE_ITEMS))
        return self._enclosed("[", inside, "]")

    def _num_values(self, schema: object) -> int | None:
        """Return how many values a schema has; None if they are not listed."""
        if not isinstance(schema, dict):
            return None
        schema = self._document.resolve(schema)
        if "anyOf" in schema:
            counts = [self._num_values(member) for member in schema["anyOf"]]
            return None if None in counts else sum(count for count in counts if count)
        if (values := values_named(schema)) is not None:
            return len({*map(canonical_text, values)})
        return {"boolean": 2, "null": 1}.get(str(schema.get("type")))

    def _items(self, first: list[str], item: str | None, low: int, high: int | None) -> str:
        """Return the expression of what stands between the brackets.

        first: the rules of the first items. item: that of all others; None if there may be none.
        """
        high = len(first) if item is None and (high is None or high > len(first)) else high
        first = first[:high]
        if high is not None and low > high:
            raise NoValue("no array has as many items")
        most = None if high is None else high - len(first)
        rest = "" if item is None else self._repeated(item, low - len(first), most, is_first=not first)
        for at in reversed(range(len(first))):
            rest = f"{f'{self._comma} ' if at else ''}{first[at]} {rest}".rstrip()
            rest = self._grammar.rule(rest if at < low else f"({rest})?")
        return rest

    def _repeated(self, member: str, low: int, high: int | None, *, is_first: bool) -> str:
        """Return the expression of members with a comma between two, from `low` to `high` of them.

        is_first: whether nothing stands before the first one.
        """
        if high is not None and high <= 0:
            return ""
        if not is_first:
            return f"({self._comma} {member}){_count(low, high)}"
        others = f"({self._comma} {member}){_count(low - 1, None if high is None else high - 1)}"
        some = member if high == 1 else f"{member} {others}"
        return some if low > 0 else f"({some})?"

    # Objects

    def _object(self, place: str, schema: Schema, is_item: bool) -> str:
        required = schema.get("required", ())
        others = self._other_member(place, schema, is_item)
        if is_item and others is not None:
            raise InvalidGrammar("items beside uniqueItems may be objects only if their properties are named")
        members = list[tuple[str, bool]]()
        for name, rule in self._named_values(place, schema, is_item).items():
            if rule is not None:
                members.append((self._member(literal(_text(name)), rule), name in required))
            elif name in required:
                raise NoValue(f"the required property {name!r} can have no value")
        inside = self._members(members, others, schema.get("minProperties", 0), schema.get("maxProperties"))
        return self._enclosed("{", inside, "}")

    def _named_values(self, place: str, schema: Schema, is_item: bool) -> dict[str, str | None]:
        """Return the rules of the values of the properties that have names, in their order."""
        found = {
            name: self._inner(f"{place}/properties/{escaped_step(name)}", inner, is_item)
            for name, inner in schema.get("properties", {}).items()
        }
        if (names := only_names(schema)) is not None:
            value = self._inner(
                f"{place}/additionalProperties", schema.get("additionalProperties", True), is_item
            )
            found |= {name: value for name in names if name not in found}
        return found

    def _other_member(self, place: str, schema: Schema, is_item: bool) -> str | None:
        """Return the rule of a member that has no name of its own in the schema; None if there is none."""
        if only_names(schema) is not None:
            return None
        names, taken = schema.get("propertyNames", True), [*schema.get("properties", ())]
        patterns = schema.get("patternProperties", {})
        if names is False:
            return None
        names = {} if names is True else names
        found = list[str]()
        for pattern, inner in patterns.items():
            value = self._inner(f"{place}/patternProperties/{escaped_step(pattern)}", inner, is_item)
            others = [other for other in patterns if other != pattern]
            if value is not None and (key := self._key(names, taken, [pattern], [])) is not None:
                if any(self._key(names, taken, [pattern, other], []) for other in others):
                    raise InvalidGrammar(
                        "patternProperties that one name may match together are not supported"
                    )
                found.append(self._member(key, value))
        is_open = not any(keyword in schema for keyword in ("properties", "patternProperties"))
        additional = self._inner(
            f"{place}/additionalProperties", schema.get("additionalProperties", is_open), is_item
        )
        if additional is not None and (key := self._key(names, taken, [], [*patterns])) is not None:
            found.append(self._member(key, additional))
        return self._grammar.rule(" | ".join(found)) if found else None

    def _key(self, names: Schema, taken: list[str], patterns: list[str], others: list[str]) -> str | None:
        try:
            return self._scalars.key(names, taken, patterns, others)
        except NoValue:
            return None

    def _member(self, key: str, value: str) -> str:
        return f"{key} {self._colon} {value}"

    def _members(
        self, members: Sequence[tuple[str, bool]], others: str | None, low: int, high: int | None
    ) -> str:
        """Return the expression of what stands between the braces.

        members: those that have names, with whether each is required. others: the rule of any other member.
        low, high: how many members there may be.
        """
        # The expressions of the members from the current one on, by how many have been written, up to `most`.
        most = min(max(low, 1) if high is None else high, len(members))
        tails = [
            self._rest(others, low - count, _minus(high, count), is_first=not count)
            for count in range(most + 1)
        ]
        for at in reversed(range(len(members))):
            member, is_required = members[at]
            made = list[str | None]()
            for count in range(min(at, most) + 1):
                following = tails[min(count + 1, most)] if high is None or count < high else None
                taken = None
                if following is not None:
                    taken = f"{f'{self._comma} ' if count else ''}{member} {following}".rstrip()
                made.append(self._either(taken, None if is_required else tails[count]))
            tails = made
        if tails[0] is None:
            raise NoValue("no object has as many properties")
        return tails[0]

    def _rest(self, others: str | None, low: int, high: int | None, *, is_first: bool) -> str | None:
        if others is None:
            return "" if low <= 0 else None
        return self._repeated(others, low, high, is_first=is_first)

    def _either(self, taken: str | None, skipped: str | None) -> str | None:
        if taken is None or skipped is None:
            only = skipped if taken is None else taken
            return self._grammar.rule(only) if only is not None and len(only) > _MAX_EXPRESSION else only
        return self._grammar.rule(f"{taken} | {skipped}" if skipped else f"({taken})?")


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _minus(number: int | None, less: int) -> int | None:
    return None if number is None else number - less


def _count(low: int, high: int | None) -> str:
    """Return the sign of a repetition."""
    low = max(low, 0)
    if high is None:
        return {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    return {(0, 1): "?", (1, 1): ""}.get((low, high), f"{{{low},{high}}}")
