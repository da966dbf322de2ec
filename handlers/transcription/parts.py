"""The parts of a window's transcript that the model ended by a time; pure."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.port.info.speech_info import SpeechInfo


class Part(NamedTuple):
    """The tokens `first` to `end` of a window, with the timestamps around them.

    start_step, end_step: when it is spoken, in timestamps from the start of the window.
    """

    first: int
    end: int
    start_step: int
    end_step: int


class SplitWindow(NamedTuple):
    """The parts of a window, in order. num_frames: those of its sound that they cover."""

    parts: tuple[Part, ...]
    num_frames: int


def whole_window(token_ids: Sequence[int], info: SpeechInfo, num_frames: int) -> SplitWindow:
    """Return all tokens of a window that was asked for no timestamps as one part; as of `split_window`."""
    part = Part(0, len(token_ids), 0, num_frames // info.frames_per_timestamp)
    return SplitWindow((part,), num_frames)


def split_window(token_ids: Sequence[int], info: SpeechInfo, num_frames: int) -> SplitWindow:
    """Return the parts of a window, as Whisper's own code and transformers' split it.

    token_ids: without the end token. num_frames: of sound in the window. Two timestamps in a row are the
    end of a part and the start of the next. What follows the last such pair was cut off by the end of the
    window, and is left to the next one, unless it ends with a timestamp by itself, after which nothing is
    said. Without such a pair all is one part.
    """
    first_id = info.first_timestamp_id
    are_timestamps = [token_id >= first_id for token_id in token_ids]
    starts = [place + 1 for place, pair in enumerate(pairwise(are_timestamps)) if all(pair)]
    ends_alone = are_timestamps[-2:] == [False, True]
    if not starts:
        return SplitWindow((_whole(token_ids, info, num_frames),), num_frames)
    bounds = [0, *starts, *([len(token_ids)] if ends_alone else [])]
    parts = tuple(
        Part(first, end, token_ids[first] - first_id, token_ids[end - 1] - first_id)
        for first, end in pairwise(bounds)
    )
    covered = num_frames if ends_alone else parts[-1].end_step * info.frames_per_timestamp
    return SplitWindow(parts, covered)


def _whole(token_ids: Sequence[int], info: SpeechInfo, num_frames: int) -> Part:
    """Return all tokens as one part, which ends at the last timestamp, or else with the sound."""
    steps = [token_id - info.first_timestamp_id for token_id in token_ids]
    last = next((step for step in reversed(steps) if step >= 0), 0)
    return Part(0, len(token_ids), 0, last or num_frames // info.frames_per_timestamp)
