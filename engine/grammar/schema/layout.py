"""The layout of a grammar's JSON: on one line, with a blank after each comma and colon."""

import re
from collections.abc import Mapping

import xgrammar

from engine.grammar.printed_grammar import printed_grammar

_PLACEHOLDER = re.compile(r'"\\"(\w+)\\""')


def one_layout(
    schema: str,
    rules: Mapping[str, list[str]],
    *,
    any_order: bool = False,
    max_whitespace: int | None = None,
) -> str:
    """Return the EBNF of a JSON Schema in one layout, that of Python's json.dumps.

    Optional whitespace would let a model write nothing else for ever, and the same schema would be laid out
    differently alone and inside a structural tag. Raises RuntimeError for a schema that xgrammar refuses.

    schema: JSON text. rules: those of its placeholders, by the names of these. any_order: whether
        properties may come in any order. max_whitespace: how many characters of whitespace may stand between
        two tokens, except inside the rules; None for the one layout.
    """
    layout = (
        {"any_whitespace": False}
        if max_whitespace is None
        else {"any_whitespace": True, "max_whitespace_cnt": max_whitespace}
    )
    plain = printed_grammar(xgrammar.Grammar.from_json_schema(schema, any_order=any_order, **layout))
    if not rules:
        return plain
    placed = _PLACEHOLDER.sub(lambda found: found[1] if found[1] in rules else found[0], plain)
    return "\n".join([placed, *(rule for group in rules.values() for rule in group)]) + "\n"
