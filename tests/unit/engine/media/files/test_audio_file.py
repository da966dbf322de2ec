"""Sound from strangers is decoded within bounds, and whatever is wrong with a file is said to the client."""

import struct
from io import BytesIO
from typing import Any

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.media.files.audio_file import MAX_AMPLITUDE, MAX_RATE, MIN_RATE, audio_parts
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.mp4_tables import MAX_SAMPLES, num_samples
from tests.support.samples.sounds import encoded, tone

KINDS = [
    ("wav", "pcm_u8", 8_000),
    ("wav", "pcm_s16le", 44_100),
    ("wav", "pcm_s24le", 16_000),
    ("wav", "pcm_s32le", 48_000),
    ("wav", "pcm_f32le", MAX_RATE),
    ("wav", "pcm_f64le", MIN_RATE),
    ("wav", "pcm_alaw", 8_000),
    ("wav", "pcm_mulaw", 8_000),
    ("mp3", "mp3", 44_100),
    ("mp3", "mp3", 16_000),
    ("flac", "flac", 44_100),
    ("ogg", "libopus", 48_000),
    ("ipod", "aac", 44_100),
    ("ipod", "alac", 44_100),
    ("mp4", "aac", 22_050),
    ("webm", "libopus", 48_000),
]


def read_audio(data: bytes, sampling_rate: int, max_seconds: float) -> NDArray[np.float32]:
    return np.concatenate(list(audio_parts(data, sampling_rate, max_seconds)))


@pytest.mark.parametrize(("format", "codec", "rate"), KINDS)
@pytest.mark.parametrize("num_channels", [1, 2])
def test_each_format_gives_its_tone_at_the_rate_that_is_asked_for(
    format: str, codec: str, rate: int, num_channels: int
) -> None:
    data = encoded(np.tile(tone(1.0, rate=rate), (num_channels, 1)), format=format, codec=codec, rate=rate)
    samples = read_audio(data, 16_000, 30)
    assert samples.dtype == np.float32
    assert len(samples) == pytest.approx(16_000, abs=1_600)  # AAC comes in whole packets
    heard = samples[1_000:15_000]
    loudness = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    assert np.argmax(loudness) * 16_000 / len(heard) == pytest.approx(440, abs=1.5)
    assert np.sqrt(np.mean(heard**2)) == pytest.approx(np.sqrt(0.5) / 3, rel=0.05)


def test_samples_of_the_same_rate_are_those_of_the_file() -> None:
    samples = tone(0.5)
    np.testing.assert_allclose(read_audio(encoded(samples), 16_000, 30), samples, atol=1 / 2**15)


def test_channels_become_their_mean() -> None:
    channels = np.stack([tone(0.5) * weight for weight in (1.0, 0.5, 0.0, 0.25, -0.5, 0.1)])
    for some in (channels[:2], channels):
        found = read_audio(encoded(some, codec="pcm_f32le"), 16_000, 30)
        np.testing.assert_allclose(found, some.mean(axis=0), atol=1e-6)


def test_a_sound_of_the_most_seconds_is_read_and_a_longer_one_is_refused() -> None:
    assert len(read_audio(encoded(tone(1.0)), 8_000, 1.0)) == 8_000
    with pytest.raises(CannotDecode, match="more than 1 seconds"):
        read_audio(encoded(tone(1.01)), 8_000, 1.0)


def test_minutes_in_a_small_file_are_refused_at_the_bound() -> None:
    data = encoded(np.zeros(16_000 * 600, np.float32), format="flac", codec="flac")
    assert len(data) < 200_000
    with pytest.raises(CannotDecode, match="more than 5 seconds"):
        read_audio(data, 16_000, 5)


def test_a_length_that_a_streaming_program_wrote_beforehand_is_not_believed() -> None:
    data = bytearray(encoded(tone(0.5)))
    struct.pack_into("<I", data, data.index(b"data") + 4, 0xFFFFFFFF)
    assert len(read_audio(bytes(data), 16_000, 1)) == 8_000


def wav_that_says(offset: int, form: str, value: int) -> bytes:
    """Return a WAV file with another number in its `fmt ` chunk."""
    data = bytearray(encoded(tone(0.5)))
    struct.pack_into(form, data, data.index(b"fmt ") + 8 + offset, value)
    return bytes(data)


def silent_film() -> bytes:
    """Return a video of one black picture, with no sound."""
    file = BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream: Any = container.add_stream("mpeg4", rate=1)
        stream.width = stream.height = 16
        picture = av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8), format="rgb24")
        for packet in (*stream.encode(picture), *stream.encode(None)):
            container.mux(packet)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no sound of WAV, MP3"),
        (b"#EXTM3U\nfile:///etc/passwd\n", "no sound of WAV, MP3"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "no sound of WAV, MP3"),
        (b"\xff\xf1\x50\x80" * 100, "no sound of WAV, MP3"),  # AAC without a container
        (b"ID3" + bytes(100), "broken or cut off"),
        (b"OggS" + bytes(100), "broken or cut off"),
        (b"\0\0\0\x1cftypM4A " + bytes(100), "broken or cut off"),
        (encoded(tone(0.5))[:44], "broken or cut off"),
        (encoded(tone(0.5), format="flac", codec="flac")[:4_000], "broken or cut off"),
        (encoded(tone(0.5), format="ipod", codec="aac")[:4_000], "broken or cut off"),
        (encoded(tone(0.5), format="ogg", codec="libopus", rate=48_000)[:100], "broken or cut off"),
        (silent_film(), "holds no sound"),
        (encoded(tone(0.5), format="ipod", codec="ac3", rate=48_000), "encoded in a way"),
        (wav_that_says(2, "<H", 9), "9 channels"),
        (wav_that_says(4, "<I", MAX_RATE + 1), f"{MAX_RATE + 1} samples a second"),
        (wav_that_says(4, "<I", MIN_RATE - 1), f"{MIN_RATE - 1} samples a second"),
        (wav_that_says(4, "<I", 0xFFFFFFFF), "broken or cut off"),
        (wav_that_says(14, "<H", 0), "encoded in a way"),
    ],
    ids=lambda value: value if isinstance(value, str) else "data",  # some bytes are random
)
def test_what_cannot_be_read_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(CannotDecode, match=reason):
        read_audio(data, 16_000, 30)


def in_pieces() -> bytearray:
    """Return an MP4 file whose tables stand before each piece of its content."""
    flags = {"movflags": "frag_keyframe+empty_moov+default_base_moof"}
    return bytearray(encoded(tone(0.5), format="mp4", codec="aac", options=flags))


@pytest.mark.parametrize(("table", "place"), [(b"stsz", 12), (b"trun", 8)])
def test_samples_that_a_file_only_says_it_has_take_no_memory(table: bytes, place: int) -> None:
    """FFmpeg took 640 MB and seven seconds for 10 kB that told of 16 million samples."""
    whole = in_pieces() if table == b"trun" else bytearray(encoded(tone(0.5), format="ipod", codec="aac"))
    assert len(read_audio(bytes(whole), 16_000, 30)) > 8_000
    for number in (MAX_SAMPLES + 1, 2**32 - 1):
        struct.pack_into(">I", whole, whole.index(table) + place, number)
        if table == b"stsz":
            struct.pack_into(">I", whole, whole.index(table) + 8, 1)  # all have this size
        with pytest.raises(CannotDecode, match="1,048,576 samples"):
            read_audio(bytes(whole), 16_000, 30)


def test_the_names_of_tables_in_the_content_of_a_file_count_for_nothing() -> None:
    content = b"trun" + b"\xff" * 12
    for head in (struct.pack(">I4s", 8 + len(content), b"mdat"), struct.pack(">I4s", 0, b"mdat")):
        assert num_samples(head + content) == 0
    long = struct.pack(">I4sQ", 1, b"mdat", 16 + len(content)) + content
    assert num_samples(long) == 0
    assert num_samples(long + long.replace(b"mdat", b"free")) == 2**32 - 1


def test_a_broken_size_hides_no_table() -> None:
    table = b"trun" + b"\xff" * 12
    for size in (2, 7, 2**32 - 1):
        assert num_samples(struct.pack(">I4s", size, b"moof") + table) == 2**32 - 1
    assert num_samples(struct.pack(">I4s", 5, b"mdat") + table) == 2**32 - 1


@pytest.mark.parametrize(("format", "codec", "rate"), KINDS)
def test_noise_in_a_file_gives_sound_or_a_reason(format: str, codec: str, rate: int) -> None:
    whole = encoded(tone(0.3, rate=rate), format=format, codec=codec, rate=rate)
    random = np.random.default_rng(0)
    for end in (64, 512, len(whole)):
        for _ in range(10):
            data = bytearray(whole)
            for place in random.integers(12, min(end, len(whole)), 8):
                data[place] = random.integers(256)
            try:
                samples = read_audio(bytes(data), 16_000, 2)
            except CannotDecode:
                continue
            assert samples.ndim == 1 and 0 < len(samples) <= 32_000


@pytest.mark.parametrize(("format", "rate"), [("wav", 16_000), ("matroska", 8_000)])
@pytest.mark.parametrize(
    ("codec", "value"),
    [
        *(("pcm_f32le", value) for value in (np.nan, np.inf, -np.inf, 3e38, 2 * MAX_AMPLITUDE)),
        *(("pcm_f64le", value) for value in (np.nan, np.inf, 1e300)),
    ],
)
def test_samples_are_numbers_of_which_a_spectrum_can_be_made(
    format: str, rate: int, codec: str, value: float
) -> None:
    """Resampling, float64 and the mean of channels may each make infinities of what is none."""
    channels = np.stack([tone(0.2, rate=rate)] * 2)
    channels[:, 100] = [7.0, 9.0]
    data = encoded(channels, format=format, codec=codec, rate=rate)
    number = "<2f" if codec == "pcm_f32le" else "<2d"
    given = struct.pack(number, 7.0, 9.0)
    assert data.count(given) == 1 and len(read_audio(data, 16_000, 1)) > 3_000
    with pytest.raises(CannotDecode, match="samples that are not numbers, or are larger than 1,048,576"):
        read_audio(data.replace(given, struct.pack(number, value, -value)), 16_000, 1)
