r"""Unicode's properties in regular expressions, `\p{L}` and `\P{Script=Greek}`, as ranges of characters.

Python's reader of patterns does not know them; schemas of JavaScript, Java, Go and Rust write them (ECMA 262,
section 22.2.1, with the u flag). The package regex does.
"""

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

import numpy as np
import regex

from engine.port.errors import InvalidGrammar

Spans = list[tuple[int, int]]
"""The first and the last of characters that follow each other."""

LAST_CHARACTER: Final = sys.maxunicode

_NAME: Final = regex.compile(r"\w+(=\w+)?", regex.ASCII)
_SURROGATES: Final = range(0xD800, 0xE000)  # no characters


@cache
def property_spans(name: str) -> Spans:
    """Return the characters that have a property, such as L, gc=Lu or Script=Greek.

    Raises InvalidGrammar for a property that Unicode does not have.
    """
    try:
        having = regex.compile(rf"\p{{{name}}}+" if _NAME.fullmatch(name) else "(")
    except regex.error:
        raise InvalidGrammar(
            f"regular expression: {name!r} is no property of Unicode, such as L or Script=Greek"
        ) from None
    return [
        span
        for first, characters in _all_characters()
        for found in having.finditer(characters)
        for span in [(first + found.start(), first + found.end() - 1)]
    ]


@cache
def _all_characters() -> list[tuple[int, str]]:
    """Return those before the surrogates and those after them, each with the first one's number."""
    parts = (range(_SURROGATES.start), range(_SURROGATES.stop, LAST_CHARACTER + 1))
    return [(part.start, np.array(part, "<u4").tobytes().decode("utf-32-le")) for part in parts]


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
