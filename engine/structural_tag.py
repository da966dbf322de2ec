"""Structural tags, xgrammar's JSON for text that holds constrained parts, as xgrammar honours them."""

import json
from collections.abc import Iterator
from typing import Any

from engine.errors import InvalidGrammar
from engine.json_schema import make_enforceable, parse_json
from engine.regex_pattern import check_regex

# Between the parts of a JSON value: enough for a line break and an indent of two, or for a space.
MAX_WHITESPACE = 3


def enforceable_tag(source: str) -> str:
    """The structural tag as xgrammar honours it, as JSON text.

    Whitespace in JSON is bounded where the tag does not: a model could write nothing else for ever. Raises
    InvalidGrammar for a schema or a regular expression inside the tag that would not be honoured.
    """
    tag = parse_json(source)
    for part in _parts(tag):
        match part:
            case {"type": "json_schema" | "qwen_xml_parameter", "json_schema": schema}:
                _check_excludes(part)
                make_enforceable(schema)
                part.setdefault("max_whitespace_cnt", MAX_WHITESPACE)
            case {"type": "regex", "pattern": str(pattern)}:
                check_regex(pattern)
    return json.dumps(tag)


def _check_excludes(part: dict[str, Any]) -> None:
    if part.get("excludes"):
        raise InvalidGrammar("excludes beside json_schema is not supported: it lifts the lengths of strings")


def _parts(tag: object) -> Iterator[dict[str, Any]]:
    """All JSON objects of the tag but those inside the schemas that it holds."""
    waiting = [tag]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            yield part
            waiting += [value for keyword, value in part.items() if keyword != "json_schema"]
