"""A mend for xgrammar 0.2.8: its strings with minLength or maxLength hold raw control characters, which no
JSON string may, and cannot hold escapes, so no quotation mark (mlc-ai/xgrammar#800)."""

import re
from typing import Any, Final

import xgrammar

# The rule for one character of such a string, as xgrammar prints it, and as RFC 8259 section 7 has it. \u is
# left out, since a pair of surrogates is one character in two escapes; only control characters need it.
_CHARACTER: Final = re.compile(r'^(\S+ ::= )\(\(\[\^\\"\\\\\\r\\n\]\)\)$', re.MULTILINE)
_JSON_CHARACTER: Final = r'(([^\0-\x1f\"\\]) | ("\\" [\"\\/bfnrt]))'


def with_json_strings(grammar: Any) -> Any:
    """The xgrammar.Grammar, its strings of bounded length JSON strings."""
    rules, num_mended = _CHARACTER.subn(lambda rule: rule.group(1) + _JSON_CHARACTER, str(grammar))
    return xgrammar.Grammar.from_ebnf(rules) if num_mended else grammar
