"""Small files of each kind, by which a server is tried; no torch."""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Final

from engine.port.request import MediaKind

_RATE: Final = 16_000
_SECONDS: Final = 1.0


def _picture() -> bytes:
    from PIL import Image

    file = BytesIO()
    Image.linear_gradient("L").resize((64, 48)).convert("RGB").save(file, "PNG")
    return file.getvalue()


def _audio() -> bytes:
    import numpy as np

    from engine.media.files.encoding import encode_wav

    times = np.arange(int(_SECONDS * _RATE)) / _RATE
    return encode_wav((np.sin(2 * np.pi * 440 * times) / 3).astype(np.float32), _RATE)


def _video() -> bytes:
    import numpy as np

    from engine.media.files.encoding import encode_mp4

    shades = np.linspace(0, 255, 4).astype(np.uint8)
    return encode_mp4([np.full((48, 64, 3), shade) for shade in shades], rate=4)


# Each is made when it is wanted, by what a front of texts never loads.
SAMPLES: Final[Mapping[MediaKind, Callable[[], bytes]]] = {
    MediaKind.IMAGE: _picture,
    MediaKind.AUDIO: _audio,
    MediaKind.VIDEO: _video,
}
