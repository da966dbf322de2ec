"""Frames of videos decoded from files that strangers send, within bounds."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple, TypeVar

from av.container import InputContainer
from av.video import VideoStream
from PIL import Image

from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.container import opened, use_decoder
from engine.media.files.image_file import MAX_ASPECT_RATIO

FORMATS: Final = ("mov", "matroska", "avi", "asf")
CODECS: Final = (
    *("h264", "hevc", "vp8", "vp9", "av1", "libdav1d"),
    *("mpeg4", "mjpeg", "msmpeg4v2", "wmv1", "wmv2", "wmv3", "vc1"),
)
READS: Final = "video of MP4, WebM, Matroska, AVI or WMV"
# A frame is decoded where a later one is wanted too, so that the time goes by all frames: at 300 of 1920 by
# 1080 a second, half a minute.
MAX_DECODED_PIXELS: Final = 2**34
MAX_RATE: Final = 1000.0  # frames of a second

_T = TypeVar("_T")


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


class Frames(NamedTuple):
    """The length of a video, and the positions of the chosen frames among all of them."""

    length: VideoLength
    indices: Sequence[int]


def read_frames(
    data: bytes,
    choose: Callable[[VideoLength], Sequence[int]],
    convert: Callable[[Image.Image, int], _T],
    limits: VideoLimits,
) -> tuple[Frames, list[_T]]:
    """Return which frames were chosen, and what became of each. Raises CannotDecode.

    choose: gives increasing positions of frames, at least one. convert: is given each frame, one after the
    other, in RGB and as it is stored, and the number of frames chosen, so that one frame alone is in memory
    at its full size.

    The frames are counted, and the file's own number is not believed; where it ends early, it is as long as
    what it holds.
    """
    length = _length(data, limits)
    frames = Frames(length, choose(length))
    found, num_decoded = _converted(data, frames.indices, convert, limits)
    if len(found) < len(frames.indices):  # a part that counted gave no frame
        if num_decoded == 0:
            raise CannotDecode(f"the file is no {READS}, or is broken or cut off")
        length = VideoLength(num_decoded, length.rate)
        frames = Frames(length, choose(length))
        found, _ = _converted(data, frames.indices, convert, limits)
    if len(found) < len(frames.indices):
        raise CannotDecode("the video is broken")
    return frames, found


def _length(data: bytes, limits: VideoLimits) -> VideoLength:
    """Return the length of a video by its parts, of which none is decoded."""
    with _opened(data, limits) as container:
        stream = _pictures(container, limits)
        rate = float(stream.average_rate or 0)
        if not 0 < rate <= MAX_RATE:
            raise CannotDecode("the video does not say how many frames a second has")
        # Without a decoder, so that nothing but the file is read.
        num_frames = sum(1 for packet in container.demux(stream) if packet.size)
        size = stream.width * stream.height
    if num_frames == 0:
        raise CannotDecode(f"the file holds no {READS}")
    length = VideoLength(num_frames, rate)
    if length.seconds > limits.max_seconds:
        raise CannotDecode(
            f"the video takes {length.seconds:,.1f} seconds; {limits.max_seconds:,g} are the most"
        )
    if num_frames * size > MAX_DECODED_PIXELS:
        raise CannotDecode(
            f"the video has {num_frames:,} frames of {stream.width} × {stream.height} pixels; "
            f"{MAX_DECODED_PIXELS:,} pixels in all are the most"
        )
    return length


def _converted(
    data: bytes,
    indices: Sequence[int],
    convert: Callable[[Image.Image, int], _T],
    limits: VideoLimits,
) -> tuple[list[_T], int]:
    """Return what becomes of these frames, as far as they are there, and how many were decoded."""
    wanted, found, num_decoded = set(indices), list[_T](), 0
    for image in _images(data, wanted, limits):
        num_decoded += 1
        if image is not None:
            found.append(convert(image, len(wanted)))
            if len(found) == len(wanted):
                break
    return found, num_decoded


def _images(data: bytes, wanted: Collection[int], limits: VideoLimits) -> Iterator[Image.Image | None]:
    """Yield each frame from the first on, and None for those that are not wanted."""
    with _opened(data, limits) as container:
        stream = _pictures(container, limits)
        size = (stream.width, stream.height)
        for index, frame in enumerate(container.decode(stream)):
            if (frame.width, frame.height) != size:
                raise CannotDecode("the video changes its size")
            yield _image(frame) if index in wanted else None


def _image(frame: Any) -> Image.Image:
    """Return a frame of PyAV, whose method has no annotations, in RGB."""
    image: Image.Image = frame.to_image()
    return image


def _opened(data: bytes, limits: VideoLimits) -> AbstractContextManager[InputContainer]:
    # A decoder goes by what the stream itself says of its size, which may be larger than the file says, and
    # is a little larger where whole blocks do not fit.
    return opened(data, FORMATS, CODECS, READS, {"max_pixels": str(2 * limits.max_pixels)})


def _pictures(container: InputContainer, limits: VideoLimits) -> VideoStream:
    """Return the first stream of pictures, whose decoder runs in this thread."""
    if not container.streams.video:
        raise CannotDecode(f"the file holds no {READS}")
    stream = container.streams.video[0]
    use_decoder(stream, CODECS, "video", READS)
    width, height = stream.width, stream.height
    if width * height > limits.max_pixels:
        raise CannotDecode(f"a video of {width} × {height} pixels; {limits.max_pixels:,} are the most")
    if width == 0 or height == 0 or max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        raise CannotDecode(f"a video of {width} × {height} pixels is no picture")
    return stream
