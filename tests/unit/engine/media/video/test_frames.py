"""Frames are chosen by the length of a video, which is that of what its file holds."""

import pytest

from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.measured_video import VideoLength, VideoLimits
from engine.media.video.frames import measure_frames, read_frames
from tests.support.samples.videos import video_bytes

LIMITS = VideoLimits(max_seconds=10.0, max_pixels=64 * 48)


def test_the_number_of_frames_and_their_size_decide_how_they_are_scaled() -> None:
    asked: list[tuple[int, tuple[int, int]]] = []

    def sizes(number: int, size: tuple[int, int]) -> list[tuple[int, int]]:
        asked.append((number, size))
        return [(5, 6)]

    frames, found = read_frames(video_bytes(8, 48, 32), lambda length: [2, 5], sizes, 0, LIMITS)
    assert asked == [(2, (32, 48))]
    assert (frames.length, frames.indices) == (VideoLength(8, 4.0), [2, 5])
    assert [pixels.shape for pixels in found] == [(5, 6, 3), (5, 6, 3)]


def test_a_file_that_ends_early_is_as_long_as_what_it_holds() -> None:
    data = video_bytes(8, format="matroska", codec="mjpeg")
    asked: list[VideoLength] = []

    def choose(length: VideoLength) -> range:
        asked.append(length)
        return range(length.num_frames)

    frames, found = read_frames(data[: len(data) * 2 // 3], choose, lambda number, size: [], 0, LIMITS)
    assert 2 <= len(found) == frames.length.num_frames < 8
    assert asked[-1] == frames.length


@pytest.mark.parametrize("sizes", [[], [(9, 9), (5, 6)]])
def test_frames_that_are_measured_are_those_that_would_be_read(sizes: list[tuple[int, int]]) -> None:
    data = video_bytes(8, 48, 32)
    frames, found = read_frames(data, lambda length: [2, 5], lambda number, size: sizes, 0, LIMITS)
    measured, size = measure_frames(data, lambda length: [2, 5], lambda number, size: sizes, LIMITS)
    assert measured == frames
    assert [pixels.shape for pixels in found] == [(*size, 3)] * 2


def test_a_refusal_of_the_sizes_reaches_the_client() -> None:
    def refuse(number: int, size: tuple[int, int]) -> list[tuple[int, int]]:
        raise CannotDecode("too many")

    with pytest.raises(CannotDecode, match="too many"):
        read_frames(video_bytes(8), lambda length: [0], refuse, 0, LIMITS)
