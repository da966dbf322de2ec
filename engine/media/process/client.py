"""The server's side of decoding: it sends a file to another process, and checks the answer.

An example:

    pixels, is_plain = SHARED.read_image(data, max_pixels=10_000_000, background=(255, 255, 255))
"""

import socket
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.bounded_process.client import CAN_FORK, BoundedProcess, ChildEnded
from engine.bounded_process.limits import ProcessLimits
from engine.bounded_process.messages import End, receive, receive_parts, send
from engine.host.machine import num_processors
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.measured_video import MAX_RATE, MeasuredVideo, VideoLimits, WantedFrames
from engine.media.process.messages import (
    MeasureVideo,
    Outcome,
    ReadAudio,
    ReadFrames,
    ReadImage,
    Task,
    decode_outcome,
    encode_message,
)
from engine.port.attempt import current_attempt
from engine.port.errors import EngineBusy
from engine.port.info.stats import ProcessStats

_MAX_OUTCOME: Final = 2**16  # bytes
_BYTES_OF_SAMPLE: Final = 4
_BYTES_OF_PIXEL: Final = 3
_MAX_CHILDREN: Final = min(max(num_processors(), 2), 8)

Pixels = NDArray[np.uint8]  # RGB, [height, width, 3]
Colour = tuple[int, int, int]  # red, green, blue


class DecodingLimits(NamedTuple):
    """The limits of the process that decodes one file.

    max_bytes: memory in addition to four times the file. bytes_of_pixel: further memory for each pixel that
    an image or a frame may have. FFmpeg keeps up to 16 earlier frames of a video, of 1.5 bytes a pixel.

    image_s, audio_s, video_s: seconds of processor time for one file. share_of_audio: further seconds for
    each second that audio may last. An example: audio of at most 1,000 s has 20 + 0.02 * 1,000 = 40 s.

    wait_s: wall-clock seconds in addition to twice the processor time. After these, the machine is too busy.
    """

    max_bytes: int = 2**28
    bytes_of_pixel: int = 32
    image_s: float = 10.0
    audio_s: float = 20.0
    share_of_audio: float = 0.02
    video_s: float = 120.0
    wait_s: float = 60.0

    def of(self, task: Task, num_bytes: int) -> ProcessLimits:
        """Return the limits of a task. num_bytes: the size of its file."""
        max_pixels = 0
        match task:
            case ReadImage():
                processor_s, max_pixels = self.image_s, task.max_pixels
            case ReadAudio():
                processor_s = self.audio_s + self.share_of_audio * task.max_seconds
            case MeasureVideo() | ReadFrames():
                processor_s, max_pixels = self.video_s, task.limits.max_pixels
        return ProcessLimits(
            max_bytes=self.max_bytes + 4 * num_bytes + self.bytes_of_pixel * max_pixels,
            processor_s=processor_s,
            timeout_s=self.wait_s + 2 * processor_s,
            opens_files=False,
        )


DEFAULT_LIMITS: Final = DecodingLimits()


class DecodingProcess:
    """The program that decodes files. It starts when it is needed, and again after it has died.

    Each call decodes in a process of its own. Threads may share the object. Every call may raise:

    - CannotDecode: the file is wrong, its decoder crashed, or it took too much processor time or memory.
    - EngineBusy: other programs left the decoder no processor time.
    - Cancelled: the current attempt was cancelled, which ends the process.

    Where a system cannot fork, files are decoded in the server's process. Then only the decoders' own bounds
    hold.
    """

    def __init__(self, limits: DecodingLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._process = BoundedProcess("engine.media.process", name="media", max_children=_MAX_CHILDREN)

    @property
    def pid(self) -> int | None:
        """The process id; None while the program does not run."""
        return self._process.pid

    @property
    def max_children(self) -> int:
        """The number of files that are decoded at once; others wait."""
        return self._process.max_children

    def start(self, on_progress: Callable[[str], object]) -> None:
        """Start the program, and report it. Returns at once: the process is ready about a second later."""
        if not CAN_FORK:
            on_progress("note: media are decoded in the server's process: the system cannot fork")
            return
        self._process.start()
        on_progress(f"media are decoded in processes of their own, {self.max_children} at once")

    def stop(self) -> None:
        """End the process and all decoding in it. A thread that waits for a file starts it again."""
        self._process.stop()

    def stats(self) -> ProcessStats:
        """Return the current numbers."""
        return self._process.stats()

    def read_image(self, data: bytes, max_pixels: int, background: Colour) -> tuple[Pixels, bool]:
        """Return an image's pixels, and whether it is plain (see `decode_image`).

        max_pixels: a larger image is refused. background: the colour behind transparent pixels.
        """
        task = ReadImage(max_pixels, background)
        pixels, outcome = self._run(task, data, max_pixels * _BYTES_OF_PIXEL)
        image = outcome.image
        _check(
            image is not None
            and min(image.height, image.width) > 0
            and image.height * image.width * _BYTES_OF_PIXEL == len(pixels)
        )
        assert image is not None
        return np.frombuffer(pixels, np.uint8).reshape(image.height, image.width, 3), image.is_plain

    def read_audio(self, data: bytes, sampling_rate: int, max_seconds: float) -> NDArray[np.float32]:
        """Return the audio of a file: float32 [num_samples] (see `audio_parts`)."""
        max_bytes = int(max_seconds * sampling_rate) * _BYTES_OF_SAMPLE
        samples, _ = self._run(ReadAudio(sampling_rate, max_seconds), data, max_bytes)
        _check(len(samples) > 0 and len(samples) % _BYTES_OF_SAMPLE == 0)
        return np.frombuffer(samples, np.float32)

    def measure_video(self, data: bytes, limits: VideoLimits) -> MeasuredVideo:
        """Return the length of a video and the size of its frames (see `measure`)."""
        _, outcome = self._run(MeasureVideo(limits), data, 0)
        video = outcome.video
        _check(
            video is not None
            and video.length.num_frames > 0
            and 0 < video.length.rate <= MAX_RATE
            and video.length.seconds <= limits.max_seconds
            and min(video.height, video.width) > 0
            and video.height * video.width <= limits.max_pixels
        )
        assert video is not None
        return video

    def read_frames(
        self, data: bytes, video: MeasuredVideo, wanted: WantedFrames, limits: VideoLimits
    ) -> tuple[list[Pixels], int]:
        """Return frames of a video, and the number of frames that were decoded (see `decode_frames`).

        A video that ends early has fewer frames than wanted.
        """
        height, width = wanted.size(video)
        size = height * width * _BYTES_OF_PIXEL
        wanted = wanted._replace(indices=list(wanted.indices))  # whatever sequence they are
        pixels, outcome = self._run(ReadFrames(wanted, limits), data, size * len(wanted.indices))
        _check(len(pixels) % size == 0 and outcome.num_decoded >= 0)
        frames = [
            np.frombuffer(pixels, np.uint8, size, start).reshape(height, width, 3)
            for start in range(0, len(pixels), size)
        ]
        return frames, outcome.num_decoded

    def _run(self, task: Task, data: bytes, max_result: int) -> tuple[bytearray, Outcome]:
        """Return the bytes that a file was decoded to, and the outcome. max_result: the most bytes."""
        limits = self._limits.of(task, len(data))
        if CAN_FORK:
            try:
                parts, outcome = self._process.run(
                    partial(_exchange, task, data, max_result), limits, attempt=current_attempt()
                )
            except ChildEnded as error:
                raise _refusal(error, limits) from None
        else:
            from engine.media.process.tasks import work

            parts = bytearray()
            outcome = work(task, data, parts.extend)
        if outcome.complaint is not None:
            parts.clear()  # an error keeps this frame for as long as it lasts
            raise CannotDecode(outcome.complaint)
        return parts, outcome


def _exchange(task: Task, data: bytes, max_result: int, channel: socket.socket) -> tuple[bytearray, Outcome]:
    send(channel, encode_message(task))
    send(channel, data)
    parts = receive_parts(channel, max_result)
    return parts, decode_outcome(receive(channel, _MAX_OUTCOME))


def _refusal(ended: ChildEnded, limits: ProcessLimits) -> CannotDecode | EngineBusy:
    """Return the error for a file whose process ended without an outcome, by the limit that ended it."""
    if ended.end is End.PROCESSOR_TIME:
        return CannotDecode(f"the file takes longer than {limits.processor_s:g} s to decode")
    if ended.end is End.WALL_TIME:
        return EngineBusy(
            f"the file was not decoded within {limits.timeout_s:g} s, since the machine is busy; try again "
            "later"
        )
    if ended.end is End.MEMORY:
        return CannotDecode(f"the file takes more than {limits.max_bytes // 2**20} MiB to decode")
    return CannotDecode("the file cannot be decoded: its decoder failed")


def _check(is_right: bool) -> None:
    """Raise CannotDecode unless an answer is right.

    Decoders give no wrong answer, but a decoder that a hostile file has taken over may.
    """
    if not is_right:
        raise CannotDecode("the file cannot be decoded: its decoder failed")


SHARED: Final = DecodingProcess()  # by all engines of this process
