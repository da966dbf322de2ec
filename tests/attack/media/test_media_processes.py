"""Sounds whose decoders crash, hang or are many, over the socket of a server that transcribes."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import httpx
import numpy as np
import pytest

from engine.media.files.audio_file import MAX_RATE
from tests.attack.clients.pulse import pulse
from tests.attack.test_grammars import MAX_BEAT_S, memory
from tests.conftest import Server, running_server
from tests.support.clocks.until import wait_until
from tests.support.samples.sounds import encoded, sound_bytes
from tests.support.servers.processes import children, is_alive
from tests.support.tiny_models.speech import save_tiny_speech

PROGRAM: Final = b"engine.media.process"
SHORT: Final = sound_bytes(1.0)
MAX_S: Final = 200
MAX_GROWTH: Final = 2**27  # of the server's memory, in bytes; ten such sounds decoded have more


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_speech(tmp_path_factory.mktemp("whisper"))


def hearing_server(directory: Path) -> AbstractContextManager[Server]:
    bounds = ("--max-transcription-seconds", str(MAX_S))
    return running_server(str(directory), "--dtype", "float32", "--served-model-name", "m", *bounds)


@pytest.fixture(scope="module")
def hearing(directory: Path) -> Iterator[Server]:
    with hearing_server(directory) as server:
        yield server


@pytest.fixture(scope="module")
def long_sound() -> bytes:
    """Return a sound that takes a second or so to decode, and is refused then as too long a one."""
    silence = np.zeros((MAX_S + 10) * MAX_RATE, np.float32)
    return encoded(silence, format="flac", codec="flac", rate=MAX_RATE)


def post(server: Server, sound: bytes) -> httpx.Response:
    url = server.url + "/openai/v1/audio/transcriptions"
    return httpx.post(url, data={"model": "m"}, files={"file": ("a", sound)}, timeout=120.0)


def programs(server: Server) -> list[int]:
    """Return the programs that decode files for a server."""
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children(server.process.pid)}
    return [pid for pid, command in commands.items() if PROGRAM in command]


def decoding(server: Server) -> list[int]:
    """Return the processes that decode files for a server."""
    return [child for program in programs(server) for child in children(program)]


def is_refused(answer: httpx.Response, reason: str) -> bool:
    error = answer.json()["error"]
    return (answer.status_code, error["param"]) == (400, "file") and reason in error["message"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_decoder_that_crashes_fails_its_request_alone(
    hearing: Server, long_sound: bytes, number: signal.Signals
) -> None:
    before = programs(hearing)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(post, hearing, long_sound)
        wait_until(lambda: decoding(hearing))
        os.kill(decoding(hearing)[0], number)
        assert is_refused(asked.result(), "its decoder failed")
    assert post(hearing, SHORT).status_code == 200
    assert programs(hearing) == before
    metrics = httpx.get(hearing.url + "/metrics").text
    assert 'verbatim_bounded_process_ends{end="crash",input="media"}' in metrics


def test_a_program_that_is_killed_is_replaced_and_loses_no_request(
    hearing: Server, long_sound: bytes
) -> None:
    (first,) = programs(hearing)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(post, hearing, long_sound)
        wait_until(lambda: decoding(hearing))
        os.kill(first, signal.SIGKILL)
        assert is_refused(asked.result(), f"more than {MAX_S} seconds")
    assert programs(hearing) != [first]


def test_a_decoder_that_hangs_holds_up_nobody_else(hearing: Server, long_sound: bytes) -> None:
    with ThreadPoolExecutor(1) as pool, pulse(hearing.url) as taken:
        asked = pool.submit(post, hearing, long_sound)
        wait_until(lambda: decoding(hearing))
        (hanging,) = decoding(hearing)
        os.kill(hanging, signal.SIGSTOP)
        assert post(hearing, SHORT).status_code == 200
        os.kill(hanging, signal.SIGKILL)
        assert is_refused(asked.result(), "its decoder failed")
    assert taken.slowest_s < MAX_BEAT_S


def test_many_sounds_at_once_take_few_processes_and_little_memory(hearing: Server, long_sound: bytes) -> None:
    assert is_refused(post(hearing, long_sound), f"more than {MAX_S} seconds")
    before, most = memory(hearing.process.pid), 0
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(post, hearing, long_sound) for _ in range(20)]
        while not all(each.done() for each in asked):
            most = max(most, len(decoding(hearing)))
            time.sleep(0.01)
    assert all(is_refused(each.result(), f"more than {MAX_S} seconds") for each in asked)
    assert 1 <= most <= 8
    assert memory(hearing.process.pid) - before < MAX_GROWTH
    assert post(hearing, SHORT).status_code == 200


def test_samples_that_are_not_numbers_are_refused_by_their_field(hearing: Server) -> None:
    """Before, their spectrum was NaN, and the answer 500."""
    samples = np.zeros(16_000, np.float32)
    samples[100] = np.nan
    assert is_refused(post(hearing, encoded(samples, codec="pcm_f32le")), "not numbers")


def test_decoders_end_with_the_server(directory: Path, long_sound: bytes) -> None:
    with hearing_server(directory) as server, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(post, server, long_sound)
        wait_until(lambda: decoding(server))
        left = [*programs(server), *decoding(server)]
        server.process.kill()
        with pytest.raises(httpx.TransportError):
            asked.result()
        wait_until(lambda: not any(map(is_alive, left)))
