"""The checks of structural tags, xgrammar's JSON for text that has constrained parts."""

import json
from collections.abc import Iterator
from typing import Any

from engine.grammar.patterns.normal_pattern import check_characters
from engine.grammar.printed_grammar import enforceable_ebnf, enforceable_regex
from engine.grammar.regex_pattern import text_pattern
from engine.grammar.run_time.rules import RunTimeRules
from engine.grammar.run_time.string_lengths import StringLength
from engine.grammar.run_time.unique_items import UniqueItems
from engine.grammar.schema.json_schema import EnforceableSchema, parse_json
from engine.port.errors import InvalidGrammar

# In the styles that are no JSON: enough for a line break and an indent of two, or for a space.
MAX_WHITESPACE = 3


def enforceable_tag(source: str) -> tuple[str, RunTimeRules]:
    """Return an equal structural tag that xgrammar honours, as JSON text, and the rules of its schemas that
    are enforced at run time.

    JSON has the one layout of `schema.layout` unless the tag itself allows whitespace. Raises InvalidGrammar
    for a schema or a regular expression inside the tag that would not be honoured.
    """
    tag = parse_json(source)
    unique_items: list[UniqueItems] = []
    string_lengths: dict[StringLength, None] = {}
    for part in _parts(tag):
        match part:
            case {"type": "json_schema" | "qwen_xml_parameter", "json_schema": schema}:
                _check_excludes(part)
                enforceable = EnforceableSchema(
                    schema, first_array=len(unique_items), counts_strings=_is_json(part)
                )
                unique_items += enforceable.run_time_rules.unique_items
                string_lengths |= dict.fromkeys(enforceable.run_time_rules.string_lengths)
                _enforce(part, enforceable)
            case {"type": "regex", "pattern": str(pattern)}:
                rules = enforceable_regex(pattern)
                if part.get("excludes"):  # which only a pattern may have
                    part["pattern"] = text_pattern(pattern)
                else:
                    part.clear()
                    part.update(type="grammar", grammar=rules)
            case {"type": "grammar", "grammar": str(rules)}:
                part["grammar"] = enforceable_ebnf(rules)
    written = json.dumps(tag, ensure_ascii=False)
    check_characters(written)
    return written, RunTimeRules(unique_items, [*string_lengths])


def _check_excludes(part: dict[str, Any]) -> None:
    if part.get("excludes"):
        raise InvalidGrammar("excludes beside json_schema is not supported: it lifts the lengths of strings")


def _enforce(part: dict[str, Any], schema: EnforceableSchema) -> None:
    """Replace the schema by its grammar where xgrammar's `json_schema` would not do: it has no fixed layout,
    and no rules of automata. Keep it where the tag allows whitespace and has no such rules, or where its
    style is no JSON."""
    max_whitespace = part.get("max_whitespace_cnt")
    if _is_json(part) and (max_whitespace is None or schema.rules):
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


def _is_json(part: dict[str, Any]) -> bool:
    return part["type"] == "json_schema" and bool(part.get("style", "json") == "json")


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
