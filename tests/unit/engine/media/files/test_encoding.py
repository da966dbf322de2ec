"""Files that are made here are read here, without loss where there may be none."""

import numpy as np
import pytest

from engine.media.files.audio_file import read_audio
from engine.media.files.encoding import encode_mp4, encode_wav
from engine.media.files.video_file import VideoLength, VideoLimits, read_frames


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
@pytest.mark.parametrize("num_samples", [1, 799, 50_001])
def test_the_samples_of_a_wav_file_are_the_same(rate: int, num_samples: int) -> None:
    samples = np.random.default_rng(0).uniform(-1, 1, num_samples).astype(np.float32)
    np.testing.assert_array_equal(read_audio(encode_wav(samples, rate), rate, 100), samples)


def test_an_mp4_file_has_its_frames() -> None:
    frames = [np.full((48, 64, 3), shade, np.uint8) for shade in (0, 120, 240)]
    lengths: list[VideoLength] = []

    def choose(length: VideoLength) -> list[int]:
        lengths.append(length)
        return [0, 1, 2]

    _, shades = read_frames(
        encode_mp4(frames, rate=6),
        choose,
        lambda image, number: (image.size, np.asarray(image).mean()),
        VideoLimits(max_seconds=10, max_pixels=10_000),
    )
    assert lengths == [VideoLength(3, 6.0)]
    assert [size for size, _ in shades] == [(64, 48)] * 3
    assert [round(float(shade), -1) for _, shade in shades] == [0, 120, 240]
