"""Files that are made here are read here, without loss where there may be none."""

import numpy as np
import pytest
from PIL import Image

from engine.media.files.audio_file import audio_parts
from engine.media.files.encoding import encode_mp4, encode_wav
from engine.media.files.measured_video import VideoLength, VideoLimits, WantedFrames
from engine.media.files.video_file import Pixels, decode_frames, measure


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
@pytest.mark.parametrize("num_samples", [1, 799, 50_001])
def test_the_samples_of_a_wav_file_are_the_same(rate: int, num_samples: int) -> None:
    samples = np.random.default_rng(0).uniform(-1, 1, num_samples).astype(np.float32)
    parts = list(audio_parts(encode_wav(samples, rate), rate, 100))
    np.testing.assert_array_equal(np.concatenate(parts), samples)


def test_an_mp4_file_has_its_frames() -> None:
    frames = [np.full((48, 64, 3), shade, np.uint8) for shade in (0, 120, 240)]
    data, limits = encode_mp4(frames, rate=6), VideoLimits(max_seconds=10, max_pixels=10_000)
    video = measure(data, limits)
    found: list[Pixels] = []
    wanted = WantedFrames([0, 1, 2], [(video.height, video.width)], Image.Resampling.BICUBIC)
    decode_frames(data, wanted, limits, found.append)
    assert video.length == VideoLength(3, 6.0)
    assert [pixels.shape for pixels in found] == [(48, 64, 3)] * 3
    assert [round(float(pixels.mean()), -1) for pixels in found] == [0, 120, 240]
