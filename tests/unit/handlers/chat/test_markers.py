from hypothesis import given
from hypothesis import strategies as st

from handlers.chat.markers import MarkerFilter, partial_suffix
from tests.unit.handlers.chat.cuts import cut

MARKERS = ("<|im_end|>", "<|pad|>", "</s>")


def test_the_longest_end_that_may_become_a_marker_is_held() -> None:
    assert partial_suffix("a <<", ["<<<b"]) == 2
    assert partial_suffix("a <|im", MARKERS) == 4
    assert partial_suffix("a <|im_end|>", ["<|im_end|>"]) == 0
    assert partial_suffix("", MARKERS) == 0


@given(st.lists(st.sampled_from([*MARKERS, "<", "|", "im", "pad|>", "é", "</s"]), max_size=9), st.data())
def test_a_filter_leaves_out_the_same_markers_however_the_text_is_cut(
    fragments: list[str], data: st.DataObject
) -> None:
    text = "".join(fragments)
    whole, pieces = MarkerFilter(MARKERS), MarkerFilter(MARKERS)
    expected = whole.feed(text) + whole.finish()
    told = "".join(map(pieces.feed, data.draw(cut(text))))
    assert told + pieces.finish() == expected


def test_a_filter_leaves_out_markers_and_nothing_else() -> None:
    marker_filter = MarkerFilter(MARKERS)
    assert marker_filter.feed("a<|pad|>b<|im_") == "ab"
    assert marker_filter.feed("end|>c<|im") == "c"
    assert marker_filter.finish() == "<|im"
