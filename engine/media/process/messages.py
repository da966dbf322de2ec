"""The messages between a child that decodes a file and the main process.

A child gets a task and a file, and writes what it decodes in any number of parts, an empty one, and an
`Outcome`.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from engine.media.files.measured_video import MeasuredVideo, VideoLimits, WantedFrames


class ReadAudio(msgspec.Struct, tag=True):
    """The task to decode a sound; see `audio_parts`. The parts are its samples, float32."""

    sampling_rate: int
    max_seconds: float


class ReadImage(msgspec.Struct, tag=True):
    """The task to decode an image; see `decode_image`. The parts are its pixels, uint8 [height, width, 3]."""

    max_pixels: int
    background: tuple[int, int, int]


class MeasureVideo(msgspec.Struct, tag=True):
    """The task to say how long a video is, and how large. There are no parts."""

    limits: VideoLimits


class ReadFrames(msgspec.Struct, tag=True):
    """The task to decode frames of a video. The parts are their pixels, uint8 [height, width, 3] each."""

    wanted: WantedFrames
    limits: VideoLimits


class ImageFacts(msgspec.Struct):
    """The facts about an image that was decoded; see `DecodedImage`."""

    height: int
    width: int
    is_plain: bool


class Outcome(msgspec.Struct):
    """The end of a task.

    complaint: the text of the CannotDecode; None for none. image: of `ReadImage`. video: of `MeasureVideo`.
    num_decoded: of `ReadFrames`, the frames up to the last that is wanted, as far as they are there.
    """

    complaint: str | None = None
    image: ImageFacts | None = None
    video: MeasuredVideo | None = None
    num_decoded: int = 0


Task = ReadImage | ReadAudio | MeasureVideo | ReadFrames

encode_message: Final = msgspec.msgpack.Encoder().encode
decode_task: Final[Callable[[bytes], Task]] = msgspec.msgpack.Decoder(Task).decode
decode_outcome: Final[Callable[[bytes], Outcome]] = msgspec.msgpack.Decoder(Outcome).decode
