r"""Unicode's general categories in regular expressions, `\p{L}` and `\P{Lu}`, as ranges of characters.

Neither Python's reader of patterns nor xgrammar's knows them; schemas of JavaScript, Java, Go and Rust write
them (ECMA 262, section 22.2.1, with the u flag).
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from engine.port.errors import InvalidGrammar

Spans = list[tuple[int, int]]
"""The first and the last of characters that follow each other."""

LAST_CHARACTER: Final = sys.maxunicode

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


def category(name: str, found: "re.Match[str]") -> Spans:
    """Return the characters of the category that an escape names.

    Raises InvalidGrammar for a property that is no general category of characters.
    """
    name = name.removeprefix("gc=").removeprefix("General_Category=")
    short = _LONG_NAMES.get(name, name)
    if short not in _LONG_NAMES.values():
        raise InvalidGrammar(
            f"regular expression: {found[0]!r} at character {found.start()} names no general category of "
            "Unicode, such as \\p{L}"
        )
    return _category(short)


@cache
def _category(short: str) -> Spans:
    codes = range(LAST_CHARACTER + 1)
    return united((code, code) for code in codes if unicodedata.category(chr(code)).startswith(short))


def united(spans: Iterable[tuple[int, int]]) -> Spans:
    """Return the same characters in ascending spans that do not touch, without surrogates, which are none."""
    made = Spans()
    for first, last in sorted(spans):
        if made and first <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(last, made[-1][1]))
        else:
            made.append((first, last))
    return [span for first, last in made for span in _without_surrogates(first, last)]


def _without_surrogates(first: int, last: int) -> Iterator[tuple[int, int]]:
    if first < _SURROGATES.start:
        yield first, min(last, _SURROGATES.start - 1)
    if last >= _SURROGATES.stop:
        yield max(first, _SURROGATES.stop), last


def other_spans(spans: Spans) -> Spans:
    """Return the characters outside ascending spans, which may overlap."""
    others, at = Spans(), 0
    for first, last in spans:
        if at < first:
            others.append((at, first - 1))
        at = max(at, last + 1)
    return [*others, *([(at, LAST_CHARACTER)] if at <= LAST_CHARACTER else [])]
