"""Videos before their frames are decoded: their length, its limits, and the frames that are wanted."""

from collections.abc import Sequence
from typing import Final, NamedTuple

MAX_RATE: Final = 1000.0  # frames of a second


class VideoLength(NamedTuple):
    """The length of a video. rate: frames of a second."""

    num_frames: int
    rate: float

    @property
    def seconds(self) -> float:
        return self.num_frames / self.rate


class VideoLimits(NamedTuple):
    """The most that a video may hold. max_pixels: width times height of a frame."""

    max_seconds: float
    max_pixels: int


class MeasuredVideo(NamedTuple):
    """The length of a video, by its parts, of which none was decoded, and the size of its frames."""

    length: VideoLength
    height: int
    width: int


class WantedFrames(NamedTuple):
    """The frames that are wanted of a video.

    indices: their positions among all, increasing, at least one. sizes: the heights and widths that each is
    scaled to, one after the other; none to leave it as it is stored. resample: Pillow's number of a filter.
    """

    indices: Sequence[int]
    sizes: Sequence[tuple[int, int]] = ()
    resample: int = 0

    def size(self, video: MeasuredVideo) -> tuple[int, int]:
        """Return the height and the width of the frames once they are scaled."""
        return self.sizes[-1] if self.sizes else (video.height, video.width)
