r"""Unicode's general categories in regular expressions, `\p{L}` and `\P{Lu}`, as ranges of characters.

Neither Python's reader of patterns nor xgrammar's knows them; schemas of JavaScript, Java, Go and Rust write
them (ECMA 262, section 22.2.1, with the u flag).
"""

import re
import sys
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.grammar.pattern_length import MAX_WRITTEN, check_length
from engine.port.errors import InvalidGrammar

_PROPERTY: Final = re.compile(r"(\\[pP])(?:\{(?:(?:gc|General_Category)=)?(\w*)\})?")
_SURROGATES: Final = range(0xD800, 0xE000)  # no characters
# The long names of the categories (Unicode Standard Annex 44, table 12).
_LONG_NAMES: Final = {
    **{"Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt"},
    **{"Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Nonspacing_Mark": "Mn"},
    **{"Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd"},
    **{"Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "Connector_Punctuation": "Pc"},
    **{"Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe"},
    **{"Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S"},
    **{"Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So"},
    **{"Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp"},
}


def without_properties(pattern: str) -> str:
    r"""Return an equal pattern without `\p` and `\P`.

    Raises InvalidGrammar for a property that is no general category of characters, and for a pattern that
    is too long, or would be.
    """
    check_length(pattern)
    if "\\p" not in pattern and "\\P" not in pattern:
        return pattern
    written = list[str]()
    at, is_in_class, length = 0, False, 0
    while at < len(pattern):
        found = _PROPERTY.match(pattern, at)
        if found is not None:
            ranges = _written(_category(found), is_complement=found[1] == "\\P")
            written.append(ranges if is_in_class else f"[{ranges}]")
            at = found.end()
            if (length := length + len(ranges)) > MAX_WRITTEN:
                raise InvalidGrammar("a regular expression has too many properties of characters")
            continue
        step = 2 if pattern[at] == "\\" else 1
        if pattern[at] in "[]":
            is_in_class = pattern[at] == "["
        written.append(pattern[at : at + step])
        at += step
    return "".join(written)


def _category(found: "re.Match[str]") -> str:
    name = found[2] or ""
    category = _LONG_NAMES.get(name, name)
    if category not in _LONG_NAMES.values():
        raise InvalidGrammar(
            f"regular expression: {found[0]!r} at character {found.start()} names no general category of "
            "Unicode, such as \\p{L}"
        )
    return category


@cache
def _written(category: str, *, is_complement: bool) -> str:
    """Return the ranges of a category's characters, or of all others, as they stand in a class."""
    ends = _spans(category, is_complement=is_complement)
    return "".join(_escaped(first) + ("" if first == last else f"-{_escaped(last)}") for first, last in ends)


def _spans(category: str, *, is_complement: bool) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of characters that follow each other."""
    first = None
    for code in range(sys.maxunicode + 2):
        is_character = code <= sys.maxunicode and code not in _SURROGATES
        is_found = is_character and unicodedata.category(chr(code)).startswith(category) != is_complement
        if is_found and first is None:
            first = code
        elif not is_found and first is not None:
            yield first, code - 1
            first = None


def _escaped(code: int) -> str:
    """Return a character as both readers take it in a class."""
    return f"\\x{code:02x}" if code < 0x80 and not chr(code).isalnum() else chr(code)
