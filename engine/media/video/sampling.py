"""The choice of the frames of a video that a model reads, as each family's processor makes it.

Their own classes need torchvision. Each function returns increasing positions of frames. settings: those of
the family's processor. max_frames: how many there may be.
"""

from collections.abc import Mapping
from math import floor
from typing import Any

import numpy as np
import torch

from engine.media.files.measured_video import VideoLength

Settings = Mapping[str, Any]


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


def evenly(length: VideoLength, settings: Settings, max_frames: int) -> list[int]:
    """Return a number of frames from the first on (LLaVA-OneVision)."""
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
    """Return positions in equal steps, rounded down in float32 as transformers does, none beyond the end."""
    places = torch.arange(first, total, total / number, dtype=torch.float32)[:number].int().tolist()
    return [place for place in places if place < total]
