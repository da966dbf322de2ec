"""The frames of a video that are chosen by its length, from the process that reads it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.measured_video import VideoLength, VideoLimits, WantedFrames
from engine.media.process.client import SHARED, Pixels


class Frames(NamedTuple):
    """The length of a video, and the positions of the chosen frames among all of them."""

    length: VideoLength
    indices: Sequence[int]


Choose = Callable[[VideoLength], Sequence[int]]
"""Gives increasing positions of frames, at least one."""
Sizes = Callable[[int, tuple[int, int]], Sequence[tuple[int, int]]]
"""Gives `WantedFrames.sizes` for a number of frames, and the height and width of each as it is stored."""


def measure_frames(
    data: bytes, choose: Choose, sizes: Sizes, limits: VideoLimits
) -> tuple[Frames, tuple[int, int]]:
    """Return which frames were chosen, and the height and width of each once it is scaled; none is decoded.

    Raises CannotDecode and EngineBusy. A file whose parts are broken is found out where it is decoded.
    """
    video = SHARED.measure_video(data, limits)
    indices = choose(video.length)
    wanted = WantedFrames(indices, sizes(len(indices), (video.height, video.width)))
    return Frames(video.length, indices), wanted.size(video)


def read_frames(
    data: bytes, choose: Choose, sizes: Sizes, resample: int, limits: VideoLimits
) -> tuple[Frames, list[Pixels]]:
    """Return which frames were chosen, and these, scaled. Raises CannotDecode and EngineBusy.

    Where the file ends early, it is as long as what it holds.
    """
    video = SHARED.measure_video(data, limits)
    length = video.length
    for _ in range(2):
        indices = choose(length)
        wanted = WantedFrames(indices, sizes(len(indices), (video.height, video.width)), resample)
        found, num_decoded = SHARED.read_frames(data, video, wanted, limits)
        if len(found) == len(indices):
            return Frames(length, indices), found
        if num_decoded == 0:
            raise CannotDecode("the video is broken or cut off")
        length = VideoLength(num_decoded, length.rate)  # a part that counted gave no frame
    raise CannotDecode("the video is broken")
