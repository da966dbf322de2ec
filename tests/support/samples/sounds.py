"""Files of sound for models that hear."""

from fractions import Fraction
from io import BytesIO
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

RATE = 16_000


def tone(seconds: float, *, pitch: float = 440.0, rate: int = RATE) -> NDArray[np.float32]:
    """Return a sine of a third of the largest amplitude."""
    times = np.arange(int(seconds * rate)) / rate
    return (np.sin(2 * np.pi * pitch * times) / 3).astype(np.float32)


def encoded(
    channels: NDArray[np.float32],
    *,
    format: str = "wav",
    codec: str = "pcm_s16le",
    rate: int = RATE,
    options: dict[str, str] | None = None,
) -> bytes:
    """Return a file with samples [num_channels, num_samples] of -1 to 1, or of one channel [num_samples].

    options: FFmpeg's own for the format.
    """
    channels = np.atleast_2d(channels)
    layout = {1: "mono", 2: "stereo", 6: "5.1"}[len(channels)]
    file = BytesIO()
    with av.open(file, "w", format=format, options=options or {}) as container:
        stream: Any = container.add_stream(codec, rate=rate)
        stream.layout = layout
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(channels), format="fltp", layout=layout)
        frame.sample_rate = rate
        frame.time_base = Fraction(1, rate)
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    return file.getvalue()


def sound_bytes(seconds: float, *, seed: int = 0) -> bytes:
    """Return a WAV file of three random tones and some noise."""
    random = np.random.default_rng(seed)
    noise = random.normal(0, 0.02, int(seconds * RATE)).astype(np.float32)
    tones = [tone(seconds, pitch=pitch) for pitch in random.uniform(100, 4_000, 3)]
    return encoded(sum(tones, noise) / np.float32(2))
