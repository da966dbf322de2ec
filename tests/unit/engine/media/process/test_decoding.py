"""Files are decoded in processes of their own as they would be here, and what one does there ends there."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.bounded_process.client import Cancelled
from engine.media.files.audio_file import MAX_RATE, audio_parts
from engine.media.files.cannot_decode import CannotDecode
from engine.media.files.image_file import decode_image
from engine.media.files.measured_video import MeasuredVideo, VideoLength, VideoLimits, WantedFrames
from engine.media.files.video_file import measure
from engine.media.process.client import DecodingLimits, DecodingProcess
from engine.media.process.messages import ImageFacts, Outcome
from engine.port.attempt import Attempt, set_current_attempt
from engine.port.errors import EngineBusy
from tests.support.clocks.until import wait_until
from tests.support.samples import images
from tests.support.samples.sounds import encoded, sound_bytes, tone
from tests.support.samples.videos import video_bytes
from tests.support.servers.processes import children
from tests.support.tiny_models.media import image_bytes
from tests.unit.engine.media.files.test_audio_file import KINDS as SOUNDS
from tests.unit.engine.media.files.test_image_file import png_of
from tests.unit.engine.media.files.test_video_file import KINDS as VIDEOS

LIMITS = VideoLimits(max_seconds=60.0, max_pixels=1920 * 1080)
LONG_S = 300
WHITE = (255, 255, 255)


@pytest.fixture(scope="module")
def process() -> Iterator[DecodingProcess]:
    process = DecodingProcess()
    yield process
    process.stop()


@pytest.fixture(scope="module")
def quick() -> Iterator[DecodingProcess]:
    process = DecodingProcess(DecodingLimits(image_s=0.05, audio_s=0.1, share_of_audio=0))
    yield process
    process.stop()


@pytest.fixture(scope="module")
def long_sound() -> bytes:
    """Return a sound that takes a second or more to decode."""
    return encoded(np.zeros(LONG_S * MAX_RATE, np.float32), format="flac", codec="flac", rate=MAX_RATE)


def decoding(process: DecodingProcess) -> list[int]:
    return [] if process.pid is None else children(process.pid)


def started(process: DecodingProcess) -> int:
    """Return the id of the program once it has no child: one that has answered takes a moment to end."""
    process.read_audio(sound_bytes(0.1), 16_000, 1)
    wait_until(lambda: not decoding(process))
    assert process.pid is not None
    return process.pid


@pytest.mark.parametrize(("format", "codec", "rate"), SOUNDS)
def test_a_sound_is_the_one_that_is_decoded_here(
    process: DecodingProcess, format: str, codec: str, rate: int
) -> None:
    data = encoded(tone(0.7, rate=rate), format=format, codec=codec, rate=rate)
    expected = np.concatenate(list(audio_parts(data, 16_000, 30)))
    found = process.read_audio(data, 16_000, 30)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "MPO"])
def test_an_image_is_the_one_that_is_decoded_here(process: DecodingProcess, format: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    picture = Image.linear_gradient("L").resize((30, 20)).convert("RGB")
    data = images.encoded(picture, format, **({"exif": exif} if format not in ("GIF", "BMP") else {}))
    expected = decode_image(data, 600, WHITE)
    found, is_plain = process.read_image(data, 600, WHITE)
    np.testing.assert_array_equal(found, np.asarray(expected.image))
    assert is_plain == expected.is_plain


@pytest.mark.parametrize(("format", "codec"), VIDEOS)
def test_frames_are_scaled_there_as_pillow_scales_them(
    process: DecodingProcess, format: str, codec: str
) -> None:
    data = video_bytes(6, 48, 32, format=format, codec=codec)
    upright = video_bytes(6, 32, 48, format="mp4", turn=(90, False))
    assert process.measure_video(upright, LIMITS) == MeasuredVideo(VideoLength(6, 4.0), 32, 48)
    video = process.measure_video(data, LIMITS)
    assert video == MeasuredVideo(VideoLength(6, 4.0), 32, 48)
    stored, num_decoded = process.read_frames(data, video, WantedFrames([1, 4]), LIMITS)
    assert (len(stored), stored[0].shape, num_decoded) == (2, (32, 48, 3), 5)
    sizes = [(20, 60), (16, 24)]
    wanted = WantedFrames([1, 4], sizes, Image.Resampling.BICUBIC)
    scaled, _ = process.read_frames(data, video, wanted, LIMITS)
    for pixels, whole in zip(scaled, stored, strict=True):
        image = Image.fromarray(whole)
        for height, width in sizes:
            image = image.resize((width, height), Image.Resampling.BICUBIC)
        np.testing.assert_array_equal(pixels, np.asarray(image))


@pytest.mark.parametrize("data", [b"", b"hello", sound_bytes(0.1)[:44], image_bytes(64, 64)[:60]])
def test_a_refusal_has_the_same_words(process: DecodingProcess, data: bytes) -> None:
    calls: list[tuple[Callable[[], object], Callable[[], object]]] = [
        (lambda: decode_image(data, 600, WHITE), lambda: process.read_image(data, 600, WHITE)),
        (lambda: list(audio_parts(data, 16_000, 30)), lambda: process.read_audio(data, 16_000, 30)),
        (lambda: measure(data, LIMITS), lambda: process.measure_video(data, LIMITS)),
    ]
    for here, there in calls:
        with pytest.raises(CannotDecode) as expected:
            here()
        with pytest.raises(CannotDecode) as found:
            there()
        assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_decoder_that_crashes_fails_its_file_alone(
    process: DecodingProcess, long_sound: bytes, number: signal.Signals
) -> None:
    pid = started(process)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(process.read_audio, long_sound, 16_000, LONG_S)
        wait_until(lambda: decoding(process))
        os.kill(decoding(process)[0], number)
        with pytest.raises(CannotDecode, match="the file cannot be decoded: its decoder failed"):
            asked.result(60)
    assert len(process.read_audio(long_sound, 16_000, LONG_S)) == LONG_S * 16_000
    assert process.pid == pid
    assert process.stats().ends["crash"] >= 1


def test_a_death_of_the_program_loses_no_file(process: DecodingProcess, long_sound: bytes) -> None:
    pid = started(process)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(process.read_audio, long_sound, 16_000, LONG_S)
        wait_until(lambda: decoding(process))
        os.kill(pid, signal.SIGKILL)
        assert len(asked.result(60)) == LONG_S * 16_000
    assert process.pid not in (None, pid)


def test_time_is_bounded(quick: DecodingProcess, long_sound: bytes) -> None:
    with pytest.raises(CannotDecode, match=r"longer than 0\.1 s to decode"):
        quick.read_audio(long_sound, 16_000, LONG_S)
    assert len(quick.read_audio(sound_bytes(0.5), 16_000, 1)) == 8_000
    hasty = DecodingProcess(DecodingLimits(audio_s=1.0, share_of_audio=0, wait_s=0))
    try:
        started(hasty)
        refusals: list[Exception] = []

        def read() -> None:
            try:
                hasty.read_audio(long_sound, 16_000, LONG_S)
            except (CannotDecode, EngineBusy) as error:
                refusals.append(error)

        asked_at = time.monotonic()
        while not refusals:  # a fast machine may decode the file before its decoder is stopped
            asked_at = time.monotonic()
            thread = threading.Thread(target=read)
            thread.start()
            wait_until(partial(lambda reader: decoding(hasty) or not reader.is_alive(), thread))
            for child in decoding(hasty):
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGSTOP)  # a decoder that waits without end
            thread.join(60)
        assert time.monotonic() - asked_at < 20
        assert [type(refusal) for refusal in refusals] == [EngineBusy]
        assert decoding(hasty) == []
    finally:
        hasty.stop()


@pytest.mark.parametrize(
    "data",
    [
        images.jpeg_of_scans(100, 2_500),
        images.jpeg_with_segments(200_000),
        images.png_with_chunks(200_000),
        images.png_with_texts(60, 10**6),
        images.gif_with_comments(10**6),
    ],
    ids=["scans", "segments", "chunks", "texts", "comments"],
)
def test_the_time_of_an_image_is_bounded(quick: DecodingProcess, data: bytes) -> None:
    with pytest.raises(CannotDecode, match=r"longer than 0\.05 s to decode"):
        quick.read_image(data, 2**23, WHITE)


@pytest.mark.parametrize(
    "data",
    [
        *(images.moving(format, 300) for format in ("GIF", "PNG", "WEBP")),
        images.png_with_exif(400_000),
        images.png_with_profile(900_000),
    ],
    ids=["gif", "apng", "webp", "exif", "profile"],
)
def test_what_the_model_does_not_see_of_an_image_takes_no_time(quick: DecodingProcess, data: bytes) -> None:
    assert quick.read_image(data, 2**23, WHITE)[0].shape == (16, 16, 3)


def test_memory_is_bounded() -> None:
    small = DecodingProcess(DecodingLimits(max_bytes=2**25, bytes_of_pixel=0))
    limits = VideoLimits(max_seconds=60.0, max_pixels=3840 * 2160)
    film = video_bytes(2, 3840, 2160)  # whose frames have 25 MB each, and 12 MB before they are RGB
    try:
        video = small.measure_video(film, limits)
        with pytest.raises(CannotDecode, match="too much memory|MiB to decode"):
            small.read_frames(film, video, WantedFrames([0, 1]), limits)
        with pytest.raises(CannotDecode, match="too much memory"):
            small.read_image(png_of(5_000, 5_000), 2**25, WHITE)
        with pytest.raises(CannotDecode):  # libwebp does not say why it gives no frame
            small.read_image(images.webp_of_canvas(5_000), 2**25, WHITE)
        assert len(small.read_audio(sound_bytes(0.5), 16_000, 1)) == 8_000
    finally:
        small.stop()


def test_an_image_that_nobody_waits_for_any_longer_is_not_decoded(process: DecodingProcess) -> None:
    started(process)
    slow, attempt = images.png_with_chunks(10**6), Attempt()

    def read() -> object:
        set_current_attempt(attempt)
        return process.read_image(slow, 2**25, WHITE)

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(read)
        wait_until(lambda: decoding(process))
        attempt.cancel()
        with pytest.raises(Cancelled):
            asked.result(60)
        wait_until(lambda: not decoding(process))
        num_ended = sum(process.stats().ends.values())
        with pytest.raises(Cancelled):
            pool.submit(read).result(60)
    assert sum(process.stats().ends.values()) == num_ended


def test_frames_of_4k_are_within_the_usual_bounds(process: DecodingProcess) -> None:
    limits = VideoLimits(max_seconds=60.0, max_pixels=3840 * 2160)
    film = video_bytes(3, 3840, 2160, codec="libx264")
    video = process.measure_video(film, limits)
    frames, _ = process.read_frames(film, video, WantedFrames([0, 2], [(32, 32)]), limits)
    assert [pixels.shape for pixels in frames] == [(32, 32, 3)] * 2


def test_the_memory_of_the_server_is_not_that_of_its_decoders(process: DecodingProcess) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    film = video_bytes(8, 1920, 1080)
    limits = VideoLimits(max_seconds=60.0, max_pixels=1920 * 1080)
    wanted = WantedFrames(range(8), [(32, 32)])
    video = process.measure_video(film, limits)
    process.read_frames(film, video, wanted, limits)
    before = resident()
    for _ in range(5):
        process.read_frames(film, video, wanted, limits)
        with pytest.raises(CannotDecode):
            process.read_audio(film, 16_000, 1)
    assert resident() - before < 2**23  # a frame has 6 MB, and a decoder several


def test_many_files_at_once_are_decoded_by_few_processes(process: DecodingProcess) -> None:
    most = 0
    data = encoded(np.tile(tone(10.0), 6), format="flac", codec="flac")
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(process.read_audio, data, 16_000, 60.0) for _ in range(20)]
        while not all(each.done() for each in asked):
            most = max(most, len(decoding(process)))
    assert {len(each.result()) for each in asked} == {960_000}
    assert 1 <= most <= process.max_children


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(),
        Outcome(image=ImageFacts(-1, -3, True)),
        Outcome(image=ImageFacts(2**20, 2**20, True)),
        Outcome(video=MeasuredVideo(VideoLength(0, 4.0), 32, 32)),
        Outcome(video=MeasuredVideo(VideoLength(4, float("nan")), 32, 32)),
        Outcome(video=MeasuredVideo(VideoLength(4, 4.0), -32, -32)),
        Outcome(video=MeasuredVideo(VideoLength(4, 4.0), 2**20, 2**20)),
        Outcome(video=MeasuredVideo(VideoLength(10**9, 4.0), 32, 32)),
    ],
)
def test_a_decoder_that_a_file_has_taken_over_is_not_believed(
    process: DecodingProcess, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_run", lambda *_: (bytearray(7), outcome))
    with pytest.raises(CannotDecode, match="its decoder failed"):
        process.measure_video(b"", LIMITS)
    with pytest.raises(CannotDecode, match="its decoder failed"):
        process.read_image(b"", 600, WHITE)
    with pytest.raises(CannotDecode, match="its decoder failed"):
        process.read_audio(b"", 16_000, 1)
    with pytest.raises(CannotDecode, match="its decoder failed"):
        process.read_frames(b"", MeasuredVideo(VideoLength(4, 4.0), 2, 2), WantedFrames([0]), LIMITS)


def test_the_server_loads_no_decoder_and_the_program_no_torch(process: DecodingProcess) -> None:
    source = (
        "import sys\n"
        "import engine.media.process.client\n"
        "assert not {'av', 'PIL', 'torch', 'transformers'} & set(sys.modules)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", source], check=True, env=environment)
    process.read_audio(sound_bytes(0.1), 16_000, 1)
    mapped = Path(f"/proc/{process.pid}/maps").read_text()
    assert "libavcodec" in mapped
    assert "libtorch" not in mapped
