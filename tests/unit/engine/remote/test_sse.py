"""The splitting of server-sent events."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.remote.sse import EventSplitter, EventTooLong

STREAM = b'data: {"a": 1}\n\n: comment\r\ndata:{"b": 2}\r\n\r\nevent: x\ndata: [DONE]\n\n'


@given(
    cuts=st.sets(st.integers(0, len(STREAM) + 3)),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    end=st.sampled_from([None, b"\n", b"\r", b"\r\n"]),
)
def test_data_is_the_same_however_the_bytes_are_cut(cuts: set[int], mark: bytes, end: bytes | None) -> None:
    stream = STREAM if end is None else STREAM.replace(b"\r\n", b"\n").replace(b"\n", end)
    places = [0, *sorted(cuts)]
    splitter = EventSplitter(1000)
    found = [
        data
        for start, stop in zip(places, [*places[1:], None], strict=True)
        for data in splitter.feed((mark + stream)[start:stop])
    ]
    assert found == [b'{"a": 1}', b'{"b": 2}', b"[DONE]"]


def test_a_long_line_costs_no_more_than_its_length() -> None:
    splitter = EventSplitter(2**25)
    began = time.thread_time()
    splitter.feed(b"data: ")
    for _ in range(2**14):
        splitter.feed(b"x" * 1024)
    (found,) = splitter.feed(b"\n")
    assert len(found) == 2**24
    assert time.thread_time() - began < 2, "copied whole for each piece, it takes a minute"


def test_a_line_without_an_end_is_bounded() -> None:
    splitter = EventSplitter(10)
    splitter.feed(b"data: 1234")
    with pytest.raises(EventTooLong):
        splitter.feed(b"5")
