import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.port.errors import InvalidRequest
from engine.port.text.stop_spans import StopSpans

SPANS = (("<call>", "</call>"), ("<rest>", ""))
PIECES = st.sampled_from(["<call>", "</call>", "<rest>", "<", "call>", "</", "a", "é", "<ca"])


def inside(pieces: list[str], spans: tuple[tuple[str, str], ...] = SPANS) -> str:
    """The text with every character that lies in a span replaced by a dot."""
    followed = StopSpans(spans)
    parts = [part for piece in pieces for part in followed.split(piece)]
    return "".join("." * len(part) if is_free else part for part, is_free in parts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a<call>b</call>c", "a<call>........c"),
        ("a<call>b<call></call>", "a<call>" + "." * 14),
        ("a<rest>b</call>", "a<rest>........"),
        ("a</call>b<ca<call>", "a</call>b<ca<call>"),
    ],
)
def test_a_span_comes_after_its_first_marker_and_ends_with_its_second(text: str, expected: str) -> None:
    assert inside([text]) == expected


@given(st.lists(PIECES, max_size=9), st.lists(st.integers(0, 60), max_size=9))
def test_spans_are_the_same_however_the_text_is_cut(fragments: list[str], places: list[int]) -> None:
    text = "".join(fragments)
    cuts = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    pieces = [text[start:end] for start, end in zip(cuts, cuts[1:], strict=False)]
    assert inside(pieces) == inside([text]) == inside(list(text))


def test_without_spans_all_text_is_outside() -> None:
    assert inside(["a<call>b"], ()) == "a<call>b"


def test_an_empty_first_marker_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="must not be empty"):
        StopSpans((("", "x"),))
