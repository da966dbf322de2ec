"""Rules as text that xgrammar honours, and reads in one way only."""

import re

import xgrammar

from engine.grammar.ebnf.finiteness import check_finiteness
from engine.grammar.patterns.normal_pattern import CODE, check_characters, coded_character
from engine.port.errors import InvalidGrammar

# Up to so many, xgrammar writes out each.
_MAX_WRITTEN_OUT = 128

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|.)", re.DOTALL)
_UNBOUNDED_COUNT = re.compile(
    r'"(?:[^"\\]|\\.)*"'  # literals, and classes, are left alone
    r"|\[(?:[^\]\\]|\\.)*\]"
    r"|(?P<rule>[\w.-]+)\{(?P<low>\d+), -1\}",
    re.DOTALL,
)
_EBNF_TOKEN = re.compile(
    r'(?P<literal>"(?:[^"\\\n]|\\.)*")|(?P<class>\[(?:[^\]\\\n]|\\.)*\])|#[^\n]*'
    r"|(?P<macro>\bRegex\s*\()|(?P<foreign>(?<!\w)\w*[^\x00-\x7f]\w*)"
)
_EBNF_ESCAPE = re.compile(rf"{CODE}|\\(?P<other>.)")


def printed_grammar(grammar: xgrammar.Grammar) -> str:
    """Return its EBNF, in which each count is read in one way only."""
    # xgrammar writes U+00DF as \xdf, and reads a letter after it, such as e, as one more digit; \u has four.
    plain = _ESCAPE.sub(lambda found: f"\\u00{found[1]}" if found[1] else found[0], str(grammar))
    return _UNBOUNDED_COUNT.sub(_without_ambiguity, plain)


def enforceable_ebnf(source: str) -> str:
    """Return rules that mean the same.

    Raises InvalidGrammar for rules that allow no finite text, or hold what xgrammar would misread.
    """
    check_characters(source)
    source = _EBNF_TOKEN.sub(_plain_token, source)
    grammar = xgrammar.Grammar.from_ebnf(source)
    check_finiteness(grammar)
    is_ambiguous = any(_is_ambiguous(found) for found in _UNBOUNDED_COUNT.finditer(str(grammar)))
    return printed_grammar(grammar) if is_ambiguous else source


def _plain_token(found: "re.Match[str]") -> str:
    """Write the numbers of characters as xgrammar reads them: to it, `\\x` takes all hex digits that follow,
    and it loses U+0000 other than in a range."""
    token, where = found[0], f"grammar: at character {found.start()}"
    if found["macro"]:
        raise InvalidGrammar(
            f"{where}: Regex is not supported in rules; a regular expression is a kind of its own"
        )
    if found["foreign"]:
        raise InvalidGrammar(
            f"{where}: {token!r}: names of rules have letters of ASCII, digits, - and _ only"
        )
    if found["literal"] or found["class"]:
        token = _EBNF_ESCAPE.sub(_plain_escape, token)
        has_null = "\\u0000" in token.replace("\\\\", "")
        if has_null and (found["literal"] or token in ("[\\u0000]", "[\\u0000-\\u0000]")):
            raise InvalidGrammar(f"{where}: U+0000 is not supported")
    return token


def _plain_escape(found: "re.Match[str]") -> str:
    if found["other"] in ("x", "u", "U"):
        raise InvalidGrammar(f"grammar: {found[0]!r} needs two, four or eight hexadecimal digits")
    if found["other"] not in (None, "0"):
        return found[0]
    code = 0 if found["other"] else ord(coded_character(found))
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


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
