"""The rules of a JSON Schema's values."""

import json

from engine.grammar.lark.lark_grammar import LarkGrammar


def schema_rule(grammar: LarkGrammar, schema: object, *, max_whitespace: int | None = None) -> str:
    """Return the name of a rule of the values of a schema."""
    return grammar.rule(f"%json {json.dumps(schema)}")
