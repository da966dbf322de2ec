"""Lines are read however their bytes are cut, and held to the framing of NDJSON."""

import pytest

from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.streams.event_reader import Event
from verbatim_kit.judge.streams.line_reader import LineReader


def read(*pieces: bytes) -> list[Event | Fault]:
    reader = LineReader()
    return [*(found for piece in pieces for found in reader.feed(piece)), *reader.end()]


def test_the_same_lines_come_of_every_cut() -> None:
    text = '{"a": "\u2028"}\n[1]\r\n'.encode()
    whole = [Event(None, '{"a": "\u2028"}'), Event(None, "[1]\r")]
    assert read(text) == whole
    assert read(*(text[at : at + 1] for at in range(len(text)))) == whole
    for cut in range(len(text)):
        assert read(text[:cut], text[cut:]) == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{}\n{}", "line 1: The line ends without a line feed"),
        (b"{}\n\n", "line 1: The line is empty"),
        (b"\r\n{}\n", "line 0: The line is empty"),
        (b"\xff\n{}\n", "line 0: The line is not UTF-8"),
    ],
)
def test_what_is_no_line_is_a_fault_of_the_framing(text: bytes, message: str) -> None:
    (fault,) = [found for found in read(text) if isinstance(found, Fault)]
    assert fault.check == "framing"
    assert f"{fault.place}: {fault.message}".startswith(message)
