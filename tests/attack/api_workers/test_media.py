"""Sounds and videos behind `--api-workers` and a front: the answers and refusals of an engine's server."""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

from tests.attack.api_workers.test_api_workers import TIMEOUT_S, api_workers
from tests.conftest import LIMITS, Server, running_server
from tests.support.samples.sounds import sound_bytes
from tests.support.samples.videos import video_bytes
from tests.support.tiny_models.audio import save_tiny_audio_model
from tests.support.tiny_models.media import image_bytes
from tests.support.tiny_models.video import save_tiny_video_model

pytestmark = pytest.mark.timeout(600)  # four servers start

CHATS: Final = {"openai": "/openai/v1/chat/completions", "mindie": "/mindie/v1/chat/completions"}
SOUND, OTHER_SOUND, LONG_SOUND = (
    b64encode(sound_bytes(seconds, seed=seed)).decode()
    for seed, seconds in enumerate((0.8, 1.6, 2.5))  # of which the model reads 2
)
VIDEO, OTHER_VIDEO = (b64encode(video_bytes(num_frames, seed=num_frames)).decode() for num_frames in (8, 5))
PICTURE = f"data:image/png;base64,{b64encode(image_bytes(24, 24)).decode()}"
BROKEN = b64encode(b"RIFF\0\0\0\0WAVEnothing").decode()
BROKEN_VIDEO = b64encode(b"\0\0\0\x18ftypisomnothing").decode()


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def input_audio(data: str) -> dict[str, Any]:
    return {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}


def audio_url(data: str) -> dict[str, Any]:
    return {"type": "audio_url", "audio_url": f"data:audio/wav;base64,{data}"}


def video_url(data: str) -> dict[str, Any]:
    return {"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{data}"}}


def image_url(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


Case = tuple[str, list[dict[str, Any]], dict[str, Any]]
"""A contract, the parts of a message, and further fields."""

ANSWERED: Final[dict[str, list[Case]]] = {
    "qwen2_audio": [
        ("openai", [input_audio(SOUND), said("What is it?")], {}),
        ("openai", [said("First"), input_audio(SOUND), said("or"), input_audio(OTHER_SOUND)], {}),
        ("openai", [input_audio(OTHER_SOUND)], {"stream": True, "stream_options": {"include_usage": True}}),
        ("mindie", [audio_url(SOUND), said("What is it?")], {}),
        ("mindie", [input_audio(OTHER_SOUND), said("And this?")], {}),
        ("openai", [said("Hello")], {}),
    ],
    "qwen2_5_vl": [
        ("openai", [video_url(VIDEO), said("What is it?")], {}),
        ("openai", [video_url(OTHER_VIDEO), said("and"), image_url(PICTURE)], {}),
        ("openai", [video_url(VIDEO)], {"stream": True, "stream_options": {"include_usage": True}}),
        ("mindie", [video_url(OTHER_VIDEO), said("What is it?")], {}),
    ],
}
REFUSED: Final[dict[str, list[Case]]] = {
    "qwen2_audio": [
        ("openai", [said("Hear"), input_audio(BROKEN)], {}),
        ("openai", [input_audio(b64encode(b"hello").decode())], {}),
        ("openai", [input_audio(LONG_SOUND)], {}),
        ("openai", [video_url(VIDEO)], {}),
        ("openai", [input_audio(OTHER_SOUND)] * 20, {}),  # more than the context
        ("mindie", [audio_url(BROKEN)], {}),
        ("mindie", [audio_url(LONG_SOUND)], {}),
        ("mindie", [input_audio(SOUND)] * 21, {}),
    ],
    "qwen2_5_vl": [
        ("openai", [said("See"), video_url(BROKEN_VIDEO)], {}),
        ("openai", [input_audio(SOUND)], {}),
        ("mindie", [video_url(BROKEN_VIDEO)], {}),
        ("mindie", [audio_url(SOUND)], {}),
    ],
}
# What no two answers share, or no two servers.
OWN: Final = frozenset(
    {"id", "created", "system_fingerprint", "prefill_time", "decode_time_arr", "queue_wait_time"}
)


class Servers(NamedTuple):
    """Servers of one model.

    own: the engine's. with_workers: with `--api-workers`. front: over another server.
    """

    family: str
    own: Server
    with_workers: Server
    front: Server


@pytest.fixture(scope="module", params=list(ANSWERED))
def servers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    family: str = request.param
    directory = tmp_path_factory.mktemp(family)
    save = save_tiny_audio_model if family == "qwen2_audio" else save_tiny_video_model
    save(directory, family)
    options = (str(directory), "--dtype", "float32", "--served-model-name", "m", *LIMITS)
    with ExitStack() as stack:
        own = stack.enter_context(running_server(*options))
        with_workers = stack.enter_context(running_server(*options, "--api-workers", "2"))
        behind = stack.enter_context(running_server(*options))  # with a cache of its own
        named = (str(directory), "--served-model-name", "m")
        front = stack.enter_context(running_server(*named, "--engine-url", behind.url))
        yield Servers(family, own, with_workers, front)


def ask(server: Server, case: Case) -> tuple[int, Any]:
    """Return the status and what an answer says, without what is its own; by a connection of its own."""
    contract, parts, fields = case
    messages = [{"role": "user", "content": parts}]
    body = {"model": "m", "messages": messages, "max_tokens": 8, "temperature": 0, **fields}
    response = httpx.post(server.url + CHATS[contract], json=body, timeout=TIMEOUT_S)
    if not fields.get("stream") or response.is_error:
        return response.status_code, without_own(response.json())
    lines = response.text.splitlines()
    events = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    return response.status_code, [without_own(httpx.Response(200, text=one).json()) for one in events[:-1]]


def without_own(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: without_own(value) for name, value in found.items() if name not in OWN}
    return [without_own(one) for one in found] if isinstance(found, list) else found


def test_answers_are_those_of_the_engines_own_server(servers: Servers) -> None:
    texts = set()
    for case in ANSWERED[servers.family]:
        status, expected = ask(servers.own, case)
        assert status == 200, expected
        texts.add(str(expected))
        assert ask(servers.with_workers, case) == (status, expected)
        assert ask(servers.front, case) == (status, expected)
    assert len(texts) == len(ANSWERED[servers.family])  # each file makes a difference


def test_refusals_are_those_of_the_engines_own_server(servers: Servers) -> None:
    for case in REFUSED[servers.family]:
        status, expected = ask(servers.own, case)
        assert status in (400, 422), expected
        assert ask(servers.with_workers, case) == (status, expected)
        assert ask(servers.front, case) == (status, expected)


def test_the_fronts_load_no_torch(servers: Servers) -> None:
    pids = [servers.front.process.pid, *api_workers(servers.with_workers)]
    assert len(pids) == 3
    for pid in pids:
        assert "libtorch" not in Path(f"/proc/{pid}/maps").read_text()
