"""The checks of structural tags, xgrammar's JSON for text that has constrained parts."""

import json
from collections.abc import Iterator
from typing import Any

import xgrammar

from engine.errors import InvalidGrammar
from engine.grammar.finiteness import check_finiteness
from engine.grammar.regex_pattern import check_regex
from engine.grammar.schema.json_schema import EnforceableSchema, parse_json

# In the styles that are no JSON: enough for a line break and an indent of two, or for a space.
MAX_WHITESPACE = 3


def enforceable_tag(source: str) -> str:
    """Return an equal structural tag that xgrammar honours, as JSON text.

    JSON has the one layout of `schema.layout` unless the tag itself allows whitespace. Raises InvalidGrammar
    for a schema or a regular expression inside the tag that would not be honoured.
    """
    tag = parse_json(source)
    for part in _parts(tag):
        match part:
            case {"type": "json_schema" | "qwen_xml_parameter", "json_schema": schema}:
                _check_excludes(part)
                _enforce(part, EnforceableSchema(schema))
            case {"type": "regex", "pattern": str(pattern)}:
                check_regex(pattern)
            case {"type": "grammar", "grammar": str(rules)}:
                check_finiteness(xgrammar.Grammar.from_ebnf(rules))
    return json.dumps(tag)


def _check_excludes(part: dict[str, Any]) -> None:
    if part.get("excludes"):
        raise InvalidGrammar("excludes beside json_schema is not supported: it lifts the lengths of strings")


def _enforce(part: dict[str, Any], schema: EnforceableSchema) -> None:
    """Replace the schema by its grammar, since xgrammar's `json_schema` has no fixed layout; keep it where
    the tag itself allows whitespace, or its style is no JSON."""
    is_json = part["type"] == "json_schema" and part.get("style", "json") == "json"
    if is_json and part.get("max_whitespace_cnt") is None:
        source = schema.grammar(any_order=part.get("any_order", False))
        part.clear()
        part.update(type="grammar", grammar=source)
        return
    if schema.rules:
        raise InvalidGrammar(
            "restrictions that need an automaton, such as pattern beside maxLength, are not supported in a "
            "style that is no JSON or beside max_whitespace_cnt"
        )
    part["json_schema"] = schema.schema
    if part.get("max_whitespace_cnt") is None:
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
