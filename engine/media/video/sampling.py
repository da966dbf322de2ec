"""The choice of the frames of a video that a model reads, as each family's processor makes it.

Their own classes need torchvision. Each function returns increasing positions of frames. settings: those of
the family's processor. max_frames: how many there may be.
"""

from collections.abc import Iterable, Mapping
from math import ceil, floor
from typing import Any, Final

import numpy as np

from engine.media.files.measured_video import VideoLength

Settings = Mapping[str, Any]

# Frames of GLM-4.6V: the seconds of a video up to which there are so many pairs a second, and the most.
_PAIRS_A_SECOND: Final = ((30, 3), (300, 1), (2_400, 0.5))
_MOST_BY_LENGTH: Final = 640


def in_pairs(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return frames by rate, a multiple of those that become one patch of time (Qwen2-VL, Qwen2.5-VL)."""
    step = settings["temporal_patch_size"]
    total = length.num_frames
    if (number := settings.get("num_frames")) is not None:
        number = round(min(number, total, max_frames) / step) * step
    else:
        most = floor(min(settings["max_frames"], max_frames, total) / step) * step
        number = min(max(length.seconds * settings["fps"], settings["min_frames"]), most, total)
        number = floor(number / step) * step
    number = max(min(number, total), 1)
    return _in_steps(0.0, total, number)


def by_rate(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return frames by rate, the first and the last among them (Qwen3-VL)."""
    total, most = length.num_frames, min(settings["max_frames"], max_frames)
    if (number := settings.get("num_frames")) is None:
        number = max(int(length.seconds * settings["fps"]), settings["min_frames"])
    number = min(number, most, total)
    return [int(place) for place in np.linspace(0, total - 1, number).round()]


def by_seconds(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return frames by rate, each the first at its time or after it (GLM-4.1V)."""
    rate, seconds = settings["fps"], length.seconds
    most = min(int(settings["max_duration"] * rate), max_frames)
    number = max(floor(seconds * rate), 1)
    if seconds <= settings["max_duration"] and number <= most:
        places = [ceil(place * length.rate / rate) for place in range(number)]
    elif most >= length.num_frames:
        places = list(range(length.num_frames))
    else:
        places = [ceil(time * length.rate) for time in np.linspace(0, seconds, most)]
    return _different(min(place, length.num_frames - 1) for place in places)


def by_length(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return frames by a rate that is lower for longer videos (GLM-4.6V)."""
    total, step = length.num_frames, settings["temporal_patch_size"]
    seconds = min(length.seconds, _PAIRS_A_SECOND[-1][0])
    rate = step * next(pairs for most, pairs in _PAIRS_A_SECOND if seconds <= most)
    number = max(min(int(seconds * rate), _MOST_BY_LENGTH, max_frames), 1)
    places = _at_times(length, 1 / rate) if total >= number else []
    if len(places) < number:
        first, last = (places[0], places[-1]) if places else (0, total - 1)
        places = np.linspace(first, last, number, dtype=int).tolist()
    elif len(places) > number:
        places = np.linspace(0, total - 1, number, dtype=int).tolist()
    return _different(places)


def _at_times(length: VideoLength, interval: float) -> list[int]:
    """Return the first frame at each multiple of an interval or after it, up to the last whole second."""
    duration, end = 1 / length.rate, int(length.seconds)
    places, time = [], 0.0
    for place in range(length.num_frames):
        if place * duration >= time:
            places.append(place)
            time += interval
            if time >= end:
                break
    return places


def _different(places: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(places))


def evenly(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return a number of frames from the first on (LLaVA-OneVision, Gemma 4)."""
    total = length.num_frames
    number = min(settings["num_frames"], max_frames, total)
    return [place * total // number for place in range(number)]


def from_the_middle(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return a number of frames, each in the middle of its part of the video (InternVL)."""
    total = length.num_frames
    number = min(settings["num_frames"], max_frames, total)
    shift = settings.get("initial_shift", True)
    first = total / number / 2 if shift is True else float(shift)
    return _in_steps(first, total, number)


def without_ends(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return frames by rate, without the first and the last second of long videos (SmolVLM)."""
    most, rate = min(settings["num_frames"], max_frames), settings["fps"]
    number = max(min(round(rate * length.seconds), most), 1)
    first, last = 0, length.num_frames - 1
    if length.seconds - 2 > settings["num_frames"] * rate:
        first = int(length.rate)
        last = min(int(length.num_frames - length.rate), last)
    if first >= last:
        first, last = 0, length.num_frames - 1
    return [int(place) for place in np.unique(np.linspace(first, last, number, dtype=int))]


def _in_steps(first: float, total: int, number: int) -> list[int]:
    """Return positions in equal steps, rounded down from float32 as transformers does, none beyond the end.

    torch itself, whose vectors are as wide as the machine's, may put one of hundreds a frame earlier.
    """
    places = (first + np.arange(number) * (total / number)).astype(np.float32).astype(int).tolist()
    return [place for place in places if place < total]
