"""Videos of plain colours, made by PyAV."""

from fractions import Fraction
from io import BytesIO

import av
import numpy as np
from av.video import VideoStream


def video_bytes(
    num_frames: int = 8,
    width: int = 32,
    height: int = 32,
    *,
    rate: float = 4,
    format: str = "mp4",
    codec: str = "mpeg4",
    seed: int = 0,
    turn: tuple[float, bool] | None = None,
) -> bytes:
    """Return a file whose frames have blocks of colour, each frame other ones.

    turn: the degrees by which a player turns its frames against the clock, and whether it mirrors them.
    """
    generator = np.random.default_rng(seed)
    file = BytesIO()
    with av.open(file, "w", format=format) as container:
        stream = container.add_stream(codec, rate=Fraction(rate).limit_denominator(1000))
        assert isinstance(stream, VideoStream)
        stream.width, stream.height = width, height
        if turn is not None:
            degrees, is_mirrored = turn
            stream.set_display_rotation(degrees, hflip=is_mirrored)
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for _ in range(num_frames):
            blocks = generator.integers(0, 256, (2, 2, 3), dtype=np.uint8)
            picture = np.kron(blocks, np.ones((-(-height // 2), -(-width // 2), 1), dtype=np.uint8))
            frame = av.VideoFrame.from_ndarray(picture[:height, :width], format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()
