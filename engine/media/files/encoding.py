"""Images, audio and videos encoded into files, for other programs; none of it is a stranger's."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import av
import numpy as np
from av.video import VideoStream
from numpy.typing import NDArray
from PIL import Image


def encode_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file of an image, [height, width, 3] in RGB."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()


def encode_wav(samples: NDArray[np.float32], sampling_rate: int) -> bytes:
    """Return a WAV file of one channel in float32, from which the same samples are read, [num_samples]."""
    file = BytesIO()
    with av.open(file, "w", format="wav") as container:
        stream: Any = container.add_stream("pcm_f32le", rate=sampling_rate)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples)[None], format="flt", layout="mono")
        frame.sample_rate = sampling_rate
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    return file.getvalue()


def encode_mp4(frames: Sequence[NDArray[np.uint8]], rate: int) -> bytes:
    """Return an MP4 file of frames, each [height, width, 3] in RGB. rate: of them in a second."""
    height, width, _ = frames[0].shape
    file = BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=rate)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for picture in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    return file.getvalue()
