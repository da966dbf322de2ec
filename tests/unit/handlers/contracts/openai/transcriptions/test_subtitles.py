"""Subtitles by the rules of their formats."""

import re

import pytest

from handlers.contracts.openai.transcriptions.subtitles import subrip, webvtt
from tests.unit.handlers.contracts.openai.transcriptions.scripted import SEGMENTS, segment


def test_subrip_numbers_subtitles_and_writes_times_with_a_comma() -> None:
    assert subrip(SEGMENTS) == (
        "1\n00:00:00,000 --> 00:00:01,500\nGood morning.\n\n"
        "2\n00:00:01,500 --> 01:02:03,000\nIt's <late> -> now & here.\n\n"
    )


def test_webvtt_has_its_signature_and_escapes_markup() -> None:
    assert webvtt(SEGMENTS) == (
        "WEBVTT\n\n"
        "00:00:00.000 --> 00:00:01.500\nGood morning.\n\n"
        "00:00:01.500 --> 01:02:03.000\nIt's &lt;late&gt; --&gt; now &amp; here.\n\n"
    )


def test_silence_has_no_subtitles() -> None:
    assert (subrip(()), webvtt(())) == ("", "WEBVTT\n\n")
    assert subrip([segment(0, 0, 1, "  ")]) == ""


def test_what_is_not_said_is_not_counted() -> None:
    text = subrip([segment(0, 0, 1, ""), segment(1, 1, 2, "a")])
    assert text == "1\n00:00:01,000 --> 00:00:02,000\na\n\n"


@pytest.mark.parametrize(("start", "end"), [(1, 1), (2, 1), (0.0004, 0.0004), (359999.9999, 360000)])
def test_a_cue_ends_after_it_begins(start: float, end: float) -> None:
    (times,) = re.findall(
        r"^(\d\d+):(\d\d):(\d\d)\.(\d{3}) --> (\d\d+):(\d\d):(\d\d)\.(\d{3})$",
        webvtt([segment(0, start, end, "a")]),
        re.MULTILINE,
    )
    numbers = list(map(int, times))
    assert numbers[:4] < numbers[4:]
    assert max(numbers[1:3] + numbers[5:7]) < 60
