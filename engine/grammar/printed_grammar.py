"""Rules as text that xgrammar honours, and reads in one way only."""

import re

import xgrammar

from engine.grammar.finiteness import check_finiteness
from engine.grammar.regex_pattern import check_regex, text_pattern
from engine.grammar.unicode_properties import without_properties

# Up to so many, xgrammar writes out each.
_MAX_WRITTEN_OUT = 128

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|.)", re.DOTALL)
_UNBOUNDED_COUNT = re.compile(
    r'"(?:[^"\\]|\\.)*"'  # literals, and classes, are left alone
    r"|\[(?:[^\]\\]|\\.)*\]"
    r"|(?P<rule>[\w.-]+)\{(?P<low>\d+), -1\}",
    re.DOTALL,
)


def printed_grammar(grammar: xgrammar.Grammar) -> str:
    """Return its EBNF, in which each count is read in one way only."""
    # xgrammar writes U+00DF as \xdf, and reads a letter after it, such as e, as one more digit; \u has four.
    plain = _ESCAPE.sub(lambda found: f"\\u00{found[1]}" if found[1] else found[0], str(grammar))
    return _UNBOUNDED_COUNT.sub(_without_ambiguity, plain)


def enforceable_ebnf(source: str) -> str:
    """Return rules that mean the same. Raises InvalidGrammar for rules that allow no finite text."""
    grammar = xgrammar.Grammar.from_ebnf(source)
    check_finiteness(grammar)
    is_ambiguous = any(_is_ambiguous(found) for found in _UNBOUNDED_COUNT.finditer(str(grammar)))
    return printed_grammar(grammar) if is_ambiguous else source


def enforceable_regex(pattern: str) -> str:
    """Return the EBNF of a pattern. Raises InvalidGrammar, naming the place, for one that xgrammar would not
    honour."""
    check_regex(without_properties(pattern))
    return printed_grammar(xgrammar.Grammar.from_regex(text_pattern(pattern)))


def _is_ambiguous(found: "re.Match[str]") -> bool:
    return found["low"] is not None and int(found["low"]) > _MAX_WRITTEN_OUT


def _without_ambiguity(found: "re.Match[str]") -> str:
    """Put what may come without end last. xgrammar puts it first, so that each item may belong to it or to
    the count behind it: after n items there are n ways to read them, all of which its matcher keeps for each
    character, megabytes for a text of some thousand.
    """
    if not _is_ambiguous(found):
        return found[0]
    rule, low = found["rule"], found["low"]
    return f"{rule}{{{low}, {low}}} {rule}{{0, -1}}"
