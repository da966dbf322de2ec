"""Sounds through the whole application, with an engine that hears."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.samples.sounds import encoded, sound_bytes, tone
from tests.support.tiny_models.audio import save_tiny_audio_model
from tests.unit.verbatim_kit.runtime.client import events, send

SOUND = sound_bytes(0.9)
MODEL = "hears"
NUM_TOKENS = 22  # (90 // 2 - 2) // 2 + 1 of its 90 frames


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    directory: Path = tmp_path_factory.mktemp("qwen2_audio")
    save_tiny_audio_model(directory, "qwen2_audio")
    config = EngineConfig(model=str(directory), device="cpu", dtype="float32", num_kv_blocks=64)
    engine = await AsyncEngine.start(config)
    yield build_app(Settings(served_model_name=MODEL), engine)
    await engine.stop()


def base64(data: bytes) -> str:
    return b64encode(data).decode()


def asked(part: dict[str, Any], **fields: Any) -> dict[str, Any]:
    content = [part, {"type": "text", "text": "What is it?"}]
    return {
        "model": MODEL,
        "max_tokens": 5,
        "temperature": 0.001,
        "messages": [{"role": "user", "content": content}],
        **fields,
    }


def openai_part(data: bytes, format: str = "wav") -> dict[str, Any]:
    return {"type": "input_audio", "input_audio": {"data": base64(data), "format": format}}


MINDIE_PARTS = [
    {"type": "audio_url", "audio_url": f"data:audio/wav;base64,{base64(SOUND)}"},
    {"type": "audio_url", "audio_url": {"url": f"data:audio/wav;base64,{base64(SOUND)}"}},
    {"type": "input_audio", "input_audio": {"data": base64(SOUND), "format": "wav"}},
]


async def test_openais_chat_hears_and_counts_the_tokens_of_sound(app: Any) -> None:
    path = "/openai/v1/chat/completions"
    usages = []
    for part in (openai_part(SOUND), openai_part(sound_bytes(0.9, seed=1))):
        response = await send(app, "POST", path, json=asked(part))
        assert response.status_code == 200, response.text
        usages.append(response.json()["usage"])
    silent = await send(app, "POST", path, json=asked({"type": "text", "text": ""}))
    num_silent = silent.json()["usage"]["prompt_tokens"]
    for usage in usages:
        assert usage["prompt_tokens_details"]["audio_tokens"] == NUM_TOKENS
        assert usage["prompt_tokens"] > num_silent + NUM_TOKENS
    assert silent.json()["usage"]["prompt_tokens_details"]["audio_tokens"] == 0
    streamed = await send(
        app,
        "POST",
        path,
        json=asked(openai_part(SOUND), stream=True, stream_options={"include_usage": True}),
    )
    last = json.loads(events(streamed)[-2])  # before the end's own
    assert last["usage"]["prompt_tokens_details"]["audio_tokens"] == NUM_TOKENS


@pytest.mark.parametrize("part", MINDIE_PARTS)
async def test_mindies_chat_hears_each_of_its_forms(app: Any, part: dict[str, Any]) -> None:
    response = await send(app, "POST", "/mindie/v1/chat/completions", json=asked(part))
    assert response.status_code == 200, response.text
    assert response.json()["usage"]["prompt_tokens"] > NUM_TOKENS


@pytest.mark.parametrize(
    ("format", "codec", "rate"),
    [("mp3", "mp3", 44_100), ("flac", "flac", 16_000), ("ogg", "libopus", 48_000), ("ipod", "aac", 44_100)],
)
async def test_the_content_of_a_part_decides_its_format(app: Any, format: str, codec: str, rate: int) -> None:
    data = encoded(tone(0.9, rate=rate), format=format, codec=codec, rate=rate)
    response = await send(app, "POST", "/openai/v1/chat/completions", json=asked(openai_part(data)))
    assert response.status_code == 200, response.text
    num_tokens = response.json()["usage"]["prompt_tokens_details"]["audio_tokens"]
    assert num_tokens == pytest.approx(NUM_TOKENS, abs=2)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (SOUND[:44], "broken or cut off"),
        (sound_bytes(2.1), "more than 2 seconds"),
        (encoded(tone(0.01)), "too short"),
        (b"no sound", "not sound as WAV"),
    ],
)
async def test_a_sound_that_is_not_read_is_refused_by_its_place(app: Any, data: bytes, reason: str) -> None:
    response = await send(app, "POST", "/openai/v1/chat/completions", json=asked(openai_part(data)))
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert error["param"] == "messages[0].content[0]"
    assert reason in error["message"]
    part = {"type": "input_audio", "input_audio": {"data": base64(data), "format": "wav"}}
    response = await send(app, "POST", "/mindie/v1/chat/completions", json=asked(part))
    assert response.status_code == 422, response.text
    assert reason in response.json()["error"]


async def test_a_picture_for_a_model_that_only_hears_is_refused(app: Any) -> None:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    response = await send(app, "POST", "/openai/v1/chat/completions", json=asked(part))
    assert response.status_code == 400
    assert response.json()["error"]["param"] == "messages[0].content[0]"
