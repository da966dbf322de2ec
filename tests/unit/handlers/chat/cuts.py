"""Texts cut into pieces in every way."""

from functools import lru_cache

from hypothesis import strategies as st


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """The text in pieces, some of them empty."""
    places = sorted(draw(_places(len(text))))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


@lru_cache(maxsize=4096)  # a strategy that each example makes anew takes longer than its drawing
def _places(length: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(0, length), max_size=12)


def every_character(text: str) -> list[str]:
    return list(text)
