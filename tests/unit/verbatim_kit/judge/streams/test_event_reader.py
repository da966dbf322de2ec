"""Events are read as the HTML standard has it, however their bytes are cut."""

import pytest

from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.streams.event_reader import Event, EventReader


def read(*pieces: bytes) -> list[Event | Fault]:
    reader = EventReader()
    return [*(found for piece in pieces for found in reader.feed(piece)), *reader.end()]


TWO = [Event(None, "a"), Event("n", "b\nc")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_same_events_come_of_every_line_end_and_every_cut(end: str) -> None:
    text = ": hello\n\ndata: a\n\nevent: n\ndata:b\ndata: c\n\n".replace("\n", end).encode()
    assert read(text) == TWO
    assert read(*(text[at : at + 1] for at in range(len(text)))) == TWO
    for cut in range(len(text)):
        assert read(text[:cut], text[cut:]) == TWO


@pytest.mark.parametrize(
    "text",
    [
        b"data: a",
        b"data: a\n",
        b"event: a\n\n",
        b"event: a\nevent: b\ndata: c\n\n",
        b"id: 1\ndata: a\n\n",
        b"retry: 1\ndata: a\n\n",
        b'{"text": "a"}\n\n',
        b"data: \xff\n\ndata: a\n\n",
        b"\xef\xbb\xbfdata: a\n\n",
    ],
)
def test_what_is_no_event_is_a_fault_of_the_framing(text: bytes) -> None:
    assert [found.check for found in read(text) if isinstance(found, Fault)] == ["framing"]
