"""Transcripts behind `--api-workers`: the answers and refusals of a server of one process."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

import httpx
import pytest

from tests.attack.api_workers.test_api_workers import TIMEOUT_S
from tests.conftest import Server, running_server
from tests.support.samples.sounds import sound_bytes
from tests.support.tiny_models.speech import save_tiny_speech

pytestmark = pytest.mark.timeout(600)

WRITTEN: Final = "/openai/v1/audio/transcriptions"
ENGLISH: Final = "/v1/audio/translations"
LONG: Final = sound_bytes(5.0, seed=2)
DRAWN: Final = {"temperature": "1.0", "seed": "3"}  # each window once
CASES: Final[list[tuple[str, bytes, dict[str, Any]]]] = [
    (WRITTEN, LONG, DRAWN),
    (
        WRITTEN,
        LONG,
        {**DRAWN, "response_format": "verbose_json", "timestamp_granularities[]": ["word", "segment"]},
    ),
    (WRITTEN, LONG, {**DRAWN, "response_format": "srt", "language": "de"}),
    (WRITTEN, LONG, {**DRAWN, "stream": "true"}),
    (WRITTEN, b"hello", {}),
    (WRITTEN, LONG, {"language": "klingon"}),
    (WRITTEN, LONG, {"prompt": "<|0.00|>"}),
    (WRITTEN, b"", {}),
    (WRITTEN, LONG, {"temperature": "x"}),
]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """Yield a server of one process, and one of several."""
    directory = save_tiny_speech(tmp_path_factory.mktemp("speech"))
    options = (str(directory), "--dtype", "float32", "--served-model-name", "m")
    with ExitStack() as stack:
        own = stack.enter_context(running_server(*options))
        yield own, stack.enter_context(running_server(*options, "--api-workers", "2"))


def ask(server: Server, path: str, audio: bytes, fields: dict[str, Any]) -> httpx.Response:
    """Send a form by a connection of its own."""
    return httpx.post(
        server.url + path, files={"file": ("a.wav", audio)}, data={"model": "m", **fields}, timeout=TIMEOUT_S
    )


def test_answers_and_refusals_are_those_of_a_server_of_one_process(servers: tuple[Server, Server]) -> None:
    own, with_workers = servers
    texts = set()
    for path, audio, fields in CASES:
        expected, found = ask(own, path, audio, fields), ask(with_workers, path, audio, fields)
        assert (found.status_code, found.text) == (expected.status_code, expected.text), fields
        texts.add((expected.status_code, expected.text))
    assert len(texts) == len(CASES)
    assert sorted({status for status, _ in texts}) == [200, 400]


def test_a_translation_is_written_by_the_engines_process(servers: tuple[Server, Server]) -> None:
    """It takes no seed, so no two need be equal."""
    _, with_workers = servers
    found = ask(
        with_workers, ENGLISH, LONG, {"response_format": "vtt", "prompt": "abc", "temperature": "1.0"}
    )
    assert (found.status_code, found.text[:8]) == (200, "WEBVTT\n\n")


def test_what_the_model_does_not_is_refused_alike(servers: tuple[Server, Server]) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
    own, with_workers = (
        httpx.post(f"{one.url}/v1/chat/completions", json=body, timeout=TIMEOUT_S) for one in servers
    )
    assert (with_workers.status_code, with_workers.json()) == (own.status_code, own.json())
    assert own.status_code == 400
