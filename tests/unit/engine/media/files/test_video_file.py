"""Frames are decoded one at a time, those that are wanted, of files within bounds."""

from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image
from PIL.Image import Transpose

from engine.media.files import video_file
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.measured_video import VideoLength, VideoLimits, WantedFrames
from engine.media.files.video_file import Pixels, decode_frames, measure
from tests.support.samples.videos import video_bytes
from tests.unit.engine.media.files.test_image_file import png_of

LIMITS = VideoLimits(max_seconds=10.0, max_pixels=64 * 48)
KINDS = (
    *(("mp4", "mpeg4"), ("mp4", "libx264"), ("webm", "libvpx"), ("webm", "libvpx-vp9")),
    *(("matroska", "mjpeg"), ("avi", "mpeg4"), ("asf", "wmv2")),
)


def frames_of(data: bytes, wanted: WantedFrames, limits: VideoLimits = LIMITS) -> tuple[list[Pixels], int]:
    found: list[Pixels] = []
    return found, decode_frames(data, wanted, limits, found.append)


def sizes_of(
    data: bytes, chosen: Sequence[int] = (0,), limits: VideoLimits = LIMITS
) -> tuple[VideoLength, list[tuple[int, int]]]:
    """Return the length of a video, and the width and height of each chosen frame, all of which it has."""
    length = measure(data, limits).length
    found, num_decoded = frames_of(data, WantedFrames(chosen), limits)
    assert (len(found), num_decoded) == (len(chosen), chosen[-1] + 1)
    return length, [(pixels.shape[1], pixels.shape[0]) for pixels in found]


@pytest.mark.parametrize(("format", "codec"), KINDS)
def test_frames_of_each_kind_of_file_are_those_that_were_written(format: str, codec: str) -> None:
    wanted = WantedFrames([1, 4])
    written, _ = frames_of(video_bytes(6, format="matroska", codec="mjpeg"), wanted)
    data = video_bytes(6, format=format, codec=codec)
    assert measure(data, LIMITS).length == VideoLength(6, 4.0)
    found, _ = frames_of(data, wanted)
    for pixels, expected in zip(found, written, strict=True):
        for place in ((4, 4), (28, 4), (4, 28), (28, 28)):
            assert abs(pixels[place].astype(int) - expected[place].astype(int)).max() < 24


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is no video of MP4"),
        (b"hello", "the file is no video of MP4"),
        (png_of(8, 8), "the file is no video of MP4"),
        (b"\x00\x00\x00\x18ftypisom", "the file"),
        (b"#EXTM3U\n#EXTINF:1,\nhttp://example.com/a.ts\n", "the file is no video of MP4"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "the file is no video of MP4"),
        (video_bytes()[:200], "the file"),
        (video_bytes(format="avi", codec="ffv1"), "encoded in a way that is not read"),
        (video_bytes(4, 66, 48), "a video of 66 × 48 pixels; 3,072 are the most"),
        (video_bytes(4, 404, 2), "is no picture"),
        (video_bytes(41), "takes 10.2 seconds; 10 are the most"),
        (video_bytes(3, rate=0.25), "takes 12.0 seconds; 10 are the most"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(CannotDecode, match=reason):
        sizes_of(data)


def test_a_video_at_its_bounds_is_read() -> None:
    length, sizes = sizes_of(video_bytes(40, 64, 48), [0, 39])
    assert (length.seconds, sizes) == (10.0, [(64, 48), (64, 48)])


def test_all_frames_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    data = video_bytes(8)
    monkeypatch.setattr(video_file, "MAX_DECODED_PIXELS", 8 * 32 * 32)
    sizes_of(data)
    monkeypatch.setattr(video_file, "MAX_DECODED_PIXELS", 8 * 32 * 32 - 1)
    with pytest.raises(CannotDecode, match="8 frames of 32 × 32 pixels; 8,191 pixels in all are the most"):
        sizes_of(data)


def test_a_lying_header_does_not_say_how_large_frames_are_or_how_many() -> None:
    """The sizes in an MP4's boxes are not those of its stream, which its decoder goes by."""
    data = video_bytes(4, 64, 64, codec="libx264")
    small = data.replace((64).to_bytes(2) + (64).to_bytes(2), (8).to_bytes(2) + (8).to_bytes(2))
    assert small != data
    with pytest.raises(CannotDecode):
        sizes_of(small)
    # The number of samples in each box: the file ends long before them.
    cut = video_bytes(8)[:-900]
    with pytest.raises(CannotDecode):
        sizes_of(cut, [0, 7])


def test_a_file_that_ends_early_gives_the_frames_that_it_holds() -> None:
    data = video_bytes(8, format="matroska", codec="mjpeg")
    cut = data[: len(data) * 2 // 3]
    found, num_decoded = frames_of(cut, WantedFrames(range(8)))
    assert 2 <= num_decoded == len(found) < 8


def test_frames_are_scaled_from_size_to_size() -> None:
    found, _ = frames_of(video_bytes(8), WantedFrames([2, 5], [(40, 20), (7, 9)]))
    assert [pixels.shape for pixels in found] == [(7, 9, 3), (7, 9, 3)]


_CODED_TWICE = 24  # of 255: how far pixels of the same frames may differ in two files


@pytest.mark.parametrize(
    "kind", [("mp4", "libx264"), ("mp4", "mpeg4"), ("matroska", "libx264"), ("webm", "libvpx-vp9")]
)
@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ((90, False), Transpose.ROTATE_90),
        ((180, False), Transpose.ROTATE_180),
        ((-90, False), Transpose.ROTATE_270),
        ((0, True), Transpose.FLIP_LEFT_RIGHT),
        ((180, True), Transpose.FLIP_TOP_BOTTOM),
        ((30, False), None),  # no player of which we know turns by less than a quarter
    ],
)
def test_frames_are_turned_upright(
    kind: tuple[str, str], turn: tuple[float, bool], expected: Transpose | None
) -> None:
    """Phones store them so; OpenCV turns them too, by which vLLM reads videos."""
    format, codec = kind
    stored, _ = frames_of(video_bytes(6, 48, 32, format=format, codec=codec), WantedFrames([1, 4]))
    data = video_bytes(6, 48, 32, format=format, codec=codec, turn=turn)
    found, num_decoded = frames_of(data, WantedFrames([1, 4]))
    assert num_decoded == 5
    for pixels, whole in zip(found, stored, strict=True):
        image = Image.fromarray(whole)
        upright = np.asarray(image if expected is None else image.transpose(expected))
        np.testing.assert_allclose(pixels.astype(int), upright.astype(int), atol=_CODED_TWICE)
    video = measure(data, LIMITS)
    assert (video.height, video.width) == found[0].shape[:2]


@pytest.mark.parametrize(("degrees", "expected"), [(90, Transpose.TRANSVERSE), (-90, Transpose.TRANSPOSE)])
def test_frames_are_mirrored_and_turned(degrees: float, expected: Transpose) -> None:
    (stored,), _ = frames_of(video_bytes(1, 48, 32), WantedFrames([0]))
    (found,), _ = frames_of(video_bytes(1, 48, 32, turn=(degrees, True)), WantedFrames([0]))
    upright = np.asarray(Image.fromarray(stored).transpose(expected))
    np.testing.assert_allclose(found.astype(int), upright.astype(int), atol=_CODED_TWICE)
