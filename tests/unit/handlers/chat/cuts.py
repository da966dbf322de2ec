"""Texts cut into pieces in every way."""

from hypothesis import strategies as st


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """The text in pieces, some of them empty."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


def every_character(text: str) -> list[str]:
    return list(text)
