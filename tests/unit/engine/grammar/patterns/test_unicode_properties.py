"""Patterns with properties of Unicode match the same as ones that list their characters."""

import re
import unicodedata

import pytest

from engine.grammar.patterns.normal_pattern import normal_pattern
from engine.port.errors import InvalidGrammar

_TEXTS = [chr(code) for code in (*range(0x20, 0x250), 0x416, 0x661, 0x2003, 0x20AC, 0x65E5, 0x1D400, 0x1F600)]


@pytest.mark.parametrize("name", ["L", "Lu", "Nd", "P", "Sc", "Zs", "gc=Lu", "General_Category=Nd", "Letter"])
def test_a_category_is_a_class_of_its_characters(name: str) -> None:
    short = {"Letter": "L"}.get(name, name.rpartition("=")[2])
    for escape, is_inside in (("p", True), ("P", False)):
        compiled = re.compile(normal_pattern(rf"\{escape}{{{name}}}"))
        found = {text for text in _TEXTS if compiled.fullmatch(text)}
        assert found == {text for text in _TEXTS if unicodedata.category(text).startswith(short) == is_inside}


def test_a_category_stands_in_a_class_beside_others() -> None:
    compiled = re.compile(normal_pattern(r"[\p{Lu}_\]-]\[\p{Nd}[^\P{L}]"))
    assert [
        bool(compiled.fullmatch(text)) for text in ("É[1a", "_[1é", "][9z", "-[1a", "a[1a", "A[a1", "A[11")
    ] == [
        *(True,) * 4,
        *(False,) * 3,
    ]


@pytest.mark.parametrize("pattern", [r"a\\p{L}", r"[\\p]", "p{L}", ""])
def test_a_pattern_without_categories_stays_as_it_is(pattern: str) -> None:
    assert normal_pattern(pattern) == pattern


@pytest.mark.parametrize("pattern", [r"\pL", r"\p{}", r"a\p", r"[\P{Foo}]", r"\p{Script=Foo}"])
def test_what_is_no_category_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidGrammar, match="is no property of Unicode"):
        normal_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", [r"\p{L}" * 100_000, r"\p{L}" * 100, "[" + r"\P{L}" * 1300 + "]", "a" * 9000 + r"\p{Lu}"]
)
def test_a_pattern_that_would_be_too_long_is_refused_before_it_is(pattern: str) -> None:
    with pytest.raises(InvalidGrammar, match="may have|too many properties"):
        normal_pattern(pattern)
