"""The strings whose characters are counted at run time, and their rules.

`engine.grammar.run_time.string_lengths` counts them. Where the text may be read as several strings with
different bounds, the run-time count would keep to the bounds of all of them. So strings that are
alternatives of each other are counted inside the grammar, and so are those whose bounds exclude each other,
in alternatives that may be read at the same time, such as two objects.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.grammar.automata.automaton import LAST_CHARACTER, json_choice, literal
from engine.grammar.automata.regex import repeated_characters
from engine.grammar.run_time.string_lengths import INSIDE, StringLength
from engine.grammar.schema.document import SchemaDocument
from engine.grammar.schema.keywords import PATTERNS, types_of_value
from engine.grammar.schema.rewriting.strings import ENFORCED_FORMATS
from engine.grammar.schema.walk import Schema, inner_schemas

Spans = tuple[tuple[int, int], ...]

# A pattern that repeats one class of characters up to so often is left to the grammar.
MAX_REPEATED_IN_GRAMMAR = 32
_ANY: Spans = ((0, LAST_CHARACTER),)

# Any character, also with an escape that JSON does not need; as `rewriting.strings` has it.
_ANY_CHARACTER = (
    r'[ !#-\[\]-\ud7ff\ue000-\U0010ffff] {name} | "\\" [\"\\/bfnrt] {name} | "\\u" {name}_code {name}',
    r"{name}_code ::= [0-9a-cA-CefEF] [0-9a-fA-F]{{3}} | [dD] [0-7] [0-9a-fA-F]{{2}}",
)


class CountedString(NamedTuple):
    """A string of these characters, with these bounds."""

    characters: Spans
    length: StringLength


def counted_string(schema: Schema) -> CountedString | None:
    """Return the bounds of a schema's strings; None if there are none, or not these alone."""
    if schema.get("format") in ENFORCED_FORMATS or PATTERNS in schema:
        return None
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if "pattern" not in schema:
        return CountedString(_ANY, StringLength(low, high)) if low or high is not None else None
    found = repeated_characters(schema["pattern"])
    if found is None:
        return None
    spans, least, most = found
    if not low and high is None and max(least, most or 0) <= MAX_REPEATED_IN_GRAMMAR:
        return None
    both = [bound for bound in (high, most) if bound is not None]
    length = StringLength(max(low, least), min(both, default=None))
    if not spans or (length.high is not None and length.low > length.high):
        return None  # which is refused elsewhere
    return CountedString(tuple(spans), length)


def counted_rules(string: CountedString, name: str, characters: str) -> list[str]:
    """Return the EBNF rule of a string. characters: the rule of `character_rules` for its characters."""
    return [f'{name} ::= "\\"" ({characters} | {literal(string.length.marker)})']


def character_rules(characters: Spans, name: str) -> list[str]:
    """Return the EBNF rules of any number of characters and the quote that ends their string."""
    inside = literal(INSIDE)
    if characters == _ANY:
        first, *others = (rule.format(name=name) for rule in _ANY_CHARACTER)
        return [f'{name} ::= "\\"" | {first} | {inside}', *others]
    choice = json_choice(characters)
    return [f'{name} ::= "\\"" | {name}_one {name} | {inside}', f"{name}_one ::= {choice}"]


def counted_in_grammar(document: SchemaDocument) -> set[int]:
    """Return the schemas, by identity, that may not be counted at run time."""
    sites = {id(schema): string for schema in document.schemas.values() if (string := counted_string(schema))}
    found = set[int]()
    if not sites:
        return found
    for schema in document.schemas.values():
        leaves = [*_leaves(schema, document)] if "anyOf" in schema or "oneOf" in schema else []
        strings = [leaf for leaf in leaves if "string" in _types(leaf)]
        found |= {id(leaf) for leaf in strings if id(leaf) in sites and not _is_alone(leaf, strings, sites)}
        for type_name in ("object", "array"):
            structures = [leaf for leaf in leaves if type_name in _types(leaf)]
            if len(structures) > 1:
                found |= _contradictory(
                    [_inside(leaf, document) & sites.keys() for leaf in structures], sites
                )
    return found


def _leaves(schema: Schema, document: SchemaDocument) -> Iterator[Schema]:
    """Yield the alternatives of the schema that are no anyOf or oneOf themselves, each once."""
    seen, waiting = set[int](), [schema]
    while waiting:
        found = document.resolve(waiting.pop())
        if id(found) in seen:
            continue
        seen.add(id(found))
        members = [
            one for key in ("anyOf", "oneOf", "allOf") for one in found.get(key, ()) if one is not False
        ]
        waiting += (one if isinstance(one, dict) else {} for one in members)
        if not members:
            yield found


def _types(schema: Schema) -> set[str]:
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return {name for value in values for name in types_of_value(value)}
    declared = schema.get("type", ["string", "object", "array"])
    return {declared} if isinstance(declared, str) else set(declared)


def _is_alone(leaf: Schema, strings: list[Schema], sites: dict[int, CountedString]) -> bool:
    """Return whether no other alternative allows strings that this one does not."""
    own = sites[id(leaf)].length
    return all(_has_length(other, own, sites) for other in strings if other is not leaf)


def _has_length(schema: Schema, length: StringLength, sites: dict[int, CountedString]) -> bool:
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        texts = (value for value in values if isinstance(value, str))
        return all(length.allows(len(text)) for text in texts)
    return id(schema) in sites and sites[id(schema)].length == length


def _inside(schema: Schema, document: SchemaDocument) -> set[int]:
    """Return the schema and all that its values may consist of, by identity."""
    seen, waiting = set[int](), [schema]
    while waiting:
        found = document.resolve(waiting.pop())
        if id(found) not in seen:
            seen.add(id(found))
            waiting += (inner for _, inner in inner_schemas(found) if isinstance(inner, dict))
    return seen


def _contradictory(groups: list[set[int]], sites: dict[int, CountedString]) -> set[int]:
    """Return the members of these groups that no length of a member of another group would suit."""
    return {
        one
        for index, group in enumerate(groups)
        for one in group
        for other_group in (*groups[:index], *groups[index + 1 :])
        if any(_contradict(sites[one].length, sites[other].length) for other in other_group)
    }


def _contradict(one: StringLength, other: StringLength) -> bool:
    return not one.allows(max(one.low, other.low)) or not other.allows(max(one.low, other.low))
