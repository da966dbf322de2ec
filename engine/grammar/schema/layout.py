"""The layout of a grammar's JSON: on one line, with a blank after each comma and colon."""

import re

import xgrammar

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|.)", re.DOTALL)


def one_layout(schema: str, *, any_order: bool = False) -> str:
    """Return the EBNF of a JSON Schema in one layout, that of Python's json.dumps.

    Optional whitespace would let a model write nothing else for ever, and the same schema would be laid out
    differently alone and inside a structural tag. Raises RuntimeError for a schema that xgrammar refuses.

    schema: JSON text, as `json_schema.enforceable_schema` returns it. any_order: whether properties may come
        in any order.
    """
    grammar = str(xgrammar.Grammar.from_json_schema(schema, any_whitespace=False, any_order=any_order))
    # xgrammar writes U+00DF as \xdf, and reads a letter after it, such as e, as one more digit; \u has four.
    return _ESCAPE.sub(lambda found: f"\\u00{found[1]}" if found[1] else found[0], grammar)
