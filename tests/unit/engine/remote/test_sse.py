"""The splitting of server-sent events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.remote.sse import EventSplitter, EventTooLong

STREAM = b'data: {"a": 1}\n\n: comment\r\ndata:{"b": 2}\r\n\r\nevent: x\ndata: [DONE]\n\n'


@given(cuts=st.sets(st.integers(0, len(STREAM))))
def test_data_is_the_same_however_the_bytes_are_cut(cuts: set[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    splitter = EventSplitter(1000)
    found = [
        data
        for start, stop in zip(places, places[1:], strict=False)
        for data in splitter.feed(STREAM[start:stop])
    ]
    assert found == [b'{"a": 1}', b'{"b": 2}', b"[DONE]"]


def test_a_line_without_an_end_is_bounded() -> None:
    splitter = EventSplitter(10)
    splitter.feed(b"data: 1234")
    with pytest.raises(EventTooLong):
        splitter.feed(b"5")
