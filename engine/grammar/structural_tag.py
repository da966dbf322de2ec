"""The checks of structural tags, xgrammar's JSON for text that has constrained parts."""

import json
from collections.abc import Iterator
from typing import Any

import xgrammar

from engine.errors import InvalidGrammar
from engine.grammar.finiteness import check_finiteness
from engine.grammar.regex_pattern import check_regex
from engine.grammar.schema.json_schema import EnforceableSchema, parse_json
from engine.grammar.unique_items import UniqueItems

# In the styles that are no JSON: enough for a line break and an indent of two, or for a space.
MAX_WHITESPACE = 3


def enforceable_tag(source: str) -> tuple[str, list[UniqueItems]]:
    """Return an equal structural tag that xgrammar honours, as JSON text, and the arrays in its schemas whose
    items have to be different.

    JSON has the one layout of `schema.layout` unless the tag itself allows whitespace. Raises InvalidGrammar
    for a schema or a regular expression inside the tag that would not be honoured.
    """
    tag = parse_json(source)
    unique_items: list[UniqueItems] = []
    for part in _parts(tag):
        match part:
            case {"type": "json_schema" | "qwen_xml_parameter", "json_schema": schema}:
                _check_excludes(part)
                enforceable = EnforceableSchema(schema, first_array=len(unique_items))
                unique_items += enforceable.unique_items
                _enforce(part, enforceable)
            case {"type": "regex", "pattern": str(pattern)}:
                check_regex(pattern)
            case {"type": "grammar", "grammar": str(rules)}:
                check_finiteness(xgrammar.Grammar.from_ebnf(rules))
    return json.dumps(tag), unique_items


def _check_excludes(part: dict[str, Any]) -> None:
    if part.get("excludes"):
        raise InvalidGrammar("excludes beside json_schema is not supported: it lifts the lengths of strings")


def _enforce(part: dict[str, Any], schema: EnforceableSchema) -> None:
    """Replace the schema by its grammar where xgrammar's `json_schema` would not do: it has no fixed layout,
    and no rules of automata. Keep it where the tag allows whitespace and has no such rules, or where its
    style is no JSON."""
    is_json = part["type"] == "json_schema" and part.get("style", "json") == "json"
    max_whitespace = part.get("max_whitespace_cnt")
    if is_json and (max_whitespace is None or schema.rules):
        source = schema.grammar(any_order=part.get("any_order", False), max_whitespace=max_whitespace)
        part.clear()
        part.update(type="grammar", grammar=source)
        return
    if schema.rules:
        raise InvalidGrammar(
            "restrictions that need an automaton, such as pattern beside maxLength, are not supported in a "
            "style that is no JSON"
        )
    part["json_schema"] = schema.schema
    if max_whitespace is None:
        part["max_whitespace_cnt"] = MAX_WHITESPACE  # a model could write nothing else for ever


def _parts(tag: object) -> Iterator[dict[str, Any]]:
    """Yield all JSON objects of the tag except those inside its schemas."""
    waiting = [tag]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            yield part
            waiting += [value for keyword, value in part.items() if keyword != "json_schema"]
