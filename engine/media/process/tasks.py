"""The child of the program, which decodes one file."""

import importlib
import pkgutil
import socket
from collections.abc import Callable
from typing import Any, Final

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from engine.bounded_process.messages import receive, send
from engine.media.files.audio_file import audio_parts
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.image_file import decode_image
from engine.media.files.video_file import decode_frames, measure
from engine.media.process.messages import (
    ImageFacts,
    MeasureVideo,
    Outcome,
    ReadAudio,
    ReadFrames,
    ReadImage,
    Task,
    decode_task,
    encode_message,
)

_STRIP: Final = 2**20  # bytes of an image
_MIN_PART: Final = 2**18  # bytes, so that a frame of sound does not cost a message

Write = Callable[[memoryview], object]


def import_all() -> None:
    """Import what PyAV and Pillow import when they first need it: a child may open no file."""
    Image.init()
    for module in pkgutil.walk_packages(av.__path__, "av."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def serve(channel: socket.socket, knowledge: object) -> None:
    """Answer a task and a file; see the messages."""
    task, data = decode_task(receive(channel)), receive(channel)
    parts = _Parts(channel)
    outcome = work(task, data, parts.write)
    parts.end()
    send(channel, encode_message(outcome))


def work(task: Task, data: bytes, write: Write) -> Outcome:
    """Work on a task. write: is given the parts of the result."""
    try:
        match task:
            case ReadImage():
                image, is_plain = decode_image(data, task.max_pixels, task.background)
                rows = _STRIP // (3 * image.width) + 1
                for top in range(0, image.height, rows):  # never all at once, in a second and a third copy
                    strip = image.crop((0, top, image.width, min(top + rows, image.height)))
                    write(memoryview(strip.tobytes()))
                return Outcome(image=ImageFacts(image.height, image.width, is_plain))
            case ReadAudio():
                for samples in audio_parts(data, task.sampling_rate, task.max_seconds):
                    write(_bytes_of(samples))
                return Outcome()
            case MeasureVideo():
                return Outcome(video=measure(data, task.limits))
            case ReadFrames():
                num_decoded = decode_frames(
                    data, task.wanted, task.limits, lambda pixels: write(_bytes_of(pixels))
                )
                return Outcome(num_decoded=num_decoded)
    except CannotDecode as error:
        return Outcome(complaint=str(error))


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).data.cast("B")


class _Parts:
    """The parts of a result on their way through a channel, small ones joined."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._small = bytearray()

    def write(self, part: memoryview) -> None:
        """Send a part, at once or with the next."""
        if len(self._small) + len(part) < _MIN_PART:
            self._small += part
            return
        self._send_small()
        send(self._channel, part)

    def end(self) -> None:
        """Send what is left, and that there is no more."""
        self._send_small()
        send(self._channel, b"")

    def _send_small(self) -> None:
        if self._small:
            send(self._channel, bytes(self._small))
            self._small.clear()
