"""How the JSON of a grammar is laid out: on one line, with a blank after a comma and a colon."""

import re

import xgrammar

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|.)", re.DOTALL)


def one_layout(schema: str, *, any_order: bool = False) -> str:
    """The EBNF of what a JSON Schema allows in the one layout, that of Python's json.dumps.

    Whitespace where the grammar leaves it open lets a model write nothing else for ever, and the same schema
    would come out otherwise alone than inside a structural tag. Raises RuntimeError for what xgrammar
    refuses.

    schema: JSON text, as `json_schema.enforceable_schema` returns. any_order: of properties.
    """
    grammar = str(xgrammar.Grammar.from_json_schema(schema, any_whitespace=False, any_order=any_order))
    # xgrammar writes U+00DF as \xdf, and reads a letter after it, such as e, as one more digit; \u has four.
    return _ESCAPE.sub(lambda found: f"\\u00{found[1]}" if found[1] else found[0], grammar)
