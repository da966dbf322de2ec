"""The checks of structural tags that xgrammar enforces, since they have parts that it alone reads."""

import json
from collections.abc import Iterator
from typing import Any

from engine.grammar.ebnf.printed_grammar import enforceable_ebnf
from engine.grammar.lark.lark_grammar import LarkGrammar
from engine.grammar.patterns.normal_pattern import check_characters
from engine.grammar.patterns.pattern_terminals import PatternTerminals
from engine.grammar.schema.enforceable_document import parse_json
from engine.grammar.schema.writing.values import schema_rule
from engine.port.errors import InvalidGrammar

# Enough for a line break and an indent of two, or for a space.
MAX_WHITESPACE = 3


def enforceable_tag(source: str) -> str:
    """Return an equal structural tag that xgrammar honours, as JSON text.

    Its schemas and regular expressions are enforced as xgrammar reads them, which knows fewer keywords.
    Raises InvalidGrammar for what is refused elsewhere too.
    """
    tag = parse_json(source)
    for part in _parts(tag):
        match part:
            case {"type": "json_schema" | "qwen_xml_parameter", "json_schema": schema}:
                if part.get("excludes"):
                    raise InvalidGrammar(
                        "excludes beside json_schema is not supported: it lifts the lengths of strings"
                    )
                schema_rule(LarkGrammar(), schema)
                if part.get("max_whitespace_cnt") is None:  # a model could write nothing else for ever
                    part["max_whitespace_cnt"] = MAX_WHITESPACE
            case {"type": "regex", "pattern": str(pattern)}:
                PatternTerminals(LarkGrammar(), inside_json=False).whole(pattern)
            case {"type": "grammar", "grammar": str(rules)}:
                part["grammar"] = enforceable_ebnf(rules)
    written = json.dumps(tag, ensure_ascii=False)
    check_characters(written)
    return written


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
