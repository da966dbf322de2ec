"""Frames of videos decoded from files that strangers send, within bounds."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

import av
import numpy as np
from av.container import InputContainer
from av.video import VideoStream
from numpy.typing import NDArray
from PIL import Image
from PIL.Image import Transpose

from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.container import opened, use_decoder
from engine.media.files.image_file import MAX_ASPECT_RATIO
from engine.media.files.measured_video import (
    MAX_RATE,
    MeasuredVideo,
    VideoLength,
    VideoLimits,
    WantedFrames,
)

FORMATS: Final = ("mov", "matroska", "avi", "asf")
CODECS: Final = (
    *("h264", "hevc", "vp8", "vp9", "av1", "libdav1d"),
    *("mpeg4", "mjpeg", "msmpeg4v2", "wmv1", "wmv2", "wmv3", "vc1"),
)
READS: Final = "video of MP4, WebM, Matroska, AVI or WMV"
# A frame is decoded where a later one is wanted too, so that the time goes by all frames: at 300 of 1920 by
# 1080 a second, half a minute.
MAX_DECODED_PIXELS: Final = 2**34
# The whole numbers at a, b, c and d of a display matrix, by which x' = ax + cy and y' = bx + dy, y downwards
# (ISO/IEC 14496-12, 8.3.2.3). Frames are shown as they are stored where it is none of these.
_TURNS: Final[Mapping[tuple[int, ...], Transpose]] = {
    (-1, 0, 0, 1): Transpose.FLIP_LEFT_RIGHT,
    (-1, 0, 0, -1): Transpose.ROTATE_180,
    (1, 0, 0, -1): Transpose.FLIP_TOP_BOTTOM,
    (0, 1, 1, 0): Transpose.TRANSPOSE,
    (0, 1, -1, 0): Transpose.ROTATE_270,
    (0, -1, -1, 0): Transpose.TRANSVERSE,
    (0, -1, 1, 0): Transpose.ROTATE_90,
}
_OF_A_QUARTER: Final = (
    Transpose.TRANSPOSE,
    Transpose.ROTATE_270,
    Transpose.TRANSVERSE,
    Transpose.ROTATE_90,
)
Pixels = NDArray[np.uint8]  # RGB, [height, width, 3]


def measure(data: bytes, limits: VideoLimits) -> MeasuredVideo:
    """Return how long a video is, and how large once its frames are turned upright. Raises CannotDecode.

    Its frames are counted, and the file's own number is not believed.
    """
    num_frames, turn = 0, None
    with _opened(data, limits) as container:
        stream = _pictures(container, limits)
        rate = float(stream.average_rate or 0)
        if not 0 < rate <= MAX_RATE:
            raise CannotDecode("the video does not say how many frames a second has")
        first = None
        for packet in container.demux(stream):
            num_frames += packet.size > 0
            if first is None and (first := _first_frame(packet)) is not None:
                turn = _turn(first)
        height, width = _turned(stream.height, stream.width, turn)
    if num_frames == 0:
        raise CannotDecode(f"the file holds no {READS}")
    length = VideoLength(num_frames, rate)
    if length.seconds > limits.max_seconds:
        raise CannotDecode(
            f"the video takes {length.seconds:,.1f} seconds; {limits.max_seconds:,g} are the most"
        )
    if num_frames * height * width > MAX_DECODED_PIXELS:
        raise CannotDecode(
            f"the video has {num_frames:,} frames of {width} × {height} pixels; "
            f"{MAX_DECODED_PIXELS:,} pixels in all are the most"
        )
    return MeasuredVideo(length, height, width)


def decode_frames(
    data: bytes, wanted: WantedFrames, limits: VideoLimits, write: Callable[[Pixels], object]
) -> int:
    """Decode a video up to the last frame that is wanted, and return how many frames that were.

    write: is given each wanted frame that is there, one after the other, so that only one frame is in memory
    at its full size. Raises CannotDecode.
    """
    indices, num_decoded, num_found = set(wanted.indices), 0, 0
    for image in _images(data, indices, limits):
        num_decoded += 1
        if image is not None:
            write(np.asarray(_scaled(image, wanted)))
            num_found += 1
            if num_found == len(indices):
                break
    return num_decoded


def _first_frame(packet: Any) -> Any:
    """Return a frame that a packet of PyAV gives; None if it gives none, or is broken."""
    try:
        return next(iter(packet.decode()), None)
    except av.FFmpegError:  # which is found out where frames are decoded
        return None


def _turn(frame: Any) -> Transpose | None:
    """Return how a frame of PyAV is turned upright, as its file says."""
    if (found := frame.side_data.get("DISPLAYMATRIX")) is None:
        return None
    matrix = np.frombuffer(bytes(found), np.int32)  # of 3 rows, in 16.16 but for the last column
    return _TURNS.get(tuple(np.round(matrix[[0, 1, 3, 4]] / 2**16).astype(int).tolist()))


def _turned(height: int, width: int, turn: Transpose | None) -> tuple[int, int]:
    return (width, height) if turn in _OF_A_QUARTER else (height, width)


def _scaled(image: Image.Image, wanted: WantedFrames) -> Image.Image:
    for height, width in wanted.sizes:
        image = image.resize((width, height), Image.Resampling(wanted.resample))
    return image


def _images(data: bytes, wanted: Collection[int], limits: VideoLimits) -> Iterator[Image.Image | None]:
    """Yield each frame from the first on, and None for those that are not wanted."""
    with _opened(data, limits) as container:
        stream = _pictures(container, limits)
        size, turn = (stream.width, stream.height), None
        for index, frame in enumerate(container.decode(stream)):
            turn = _turn(frame) if index == 0 else turn
            if (frame.width, frame.height) != size:
                raise CannotDecode("the video changes its size")
            yield _image(frame, turn) if index in wanted else None


def _image(frame: Any, turn: Transpose | None) -> Image.Image:
    """Return a frame of PyAV, whose method has no annotations, in RGB and turned upright."""
    image: Image.Image = frame.to_image()
    return image if turn is None else image.transpose(turn)


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
