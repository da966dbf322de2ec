"""Transcripts as subtitles: SubRip (.srt), and WebVTT (https://www.w3.org/TR/webvtt1/)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from handlers.transcription.transcript import Segment


class _Cue(NamedTuple):
    """A text with its times in milliseconds; it lasts at least one, as WebVTT demands."""

    start_ms: int
    end_ms: int
    text: str


def subrip(segments: Sequence[Segment]) -> str:
    """Return the segments as numbered subtitles. SubRip has no escapes, so an arrow becomes a shorter one."""
    return "".join(
        f"{number}\n{_times(cue, ',')}\n{cue.text.replace('-->', '->')}\n\n"
        for number, cue in enumerate(_cues(segments), start=1)
    )


def webvtt(segments: Sequence[Segment]) -> str:
    """Return the segments as the cues of a WebVTT file, in whose texts markup is escaped."""
    cues = (f"{_times(cue, '.')}\n{_escaped(cue.text)}\n\n" for cue in _cues(segments))
    return "WEBVTT\n\n" + "".join(cues)


def _cues(segments: Sequence[Segment]) -> Iterator[_Cue]:
    """Yield a cue for each segment that says something; an empty line would end it, so it is one line."""
    for segment in segments:
        text = " ".join(segment.text.split())
        start_ms = round(segment.start * 1000)
        if text:
            yield _Cue(start_ms, max(round(segment.end * 1000), start_ms + 1), text)


def _times(cue: _Cue, separator: str) -> str:
    return f"{_time(cue.start_ms, separator)} --> {_time(cue.end_ms, separator)}"


def _time(milliseconds: int, separator: str) -> str:
    """Return a time as hours, minutes, seconds and, after the separator, milliseconds."""
    seconds, fraction = divmod(milliseconds, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02}{separator}{fraction:03}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
