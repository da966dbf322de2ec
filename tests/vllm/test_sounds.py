"""Sounds over a real vLLM, sent as `content_parts`: the tokens and answers of Verbatim's own engine."""

from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any, Final

import httpx
import numpy as np
import pytest
import pytest_asyncio

from engine.media_item import MediaItem
from engine.request import MediaKind
from handlers.app import build_app
from handlers.settings.settings import Settings
from tests.samples.sounds import encoded, sound_bytes, tone
from tests.tiny.audio import QWEN2_AUDIO_FOR_VLLM, save_tiny_audio_model
from tests.unit.engine.remote.test_media import media_of, prompt_of, tokens_of
from tests.unit.handlers.runtime.client import send
from tests.vllm.conftest import MediaEngines, engines_of

pytestmark = pytest.mark.timeout(900)

STEREO: Final = encoded(
    np.stack([tone(0.9, rate=44_100), tone(0.9, pitch=700, rate=44_100)]),
    rate=44_100,
    codec="flac",
    format="flac",
)
SOUNDS: Final = [
    MediaItem(MediaKind.AUDIO, data)
    for data in (sound_bytes(1.3), STEREO, sound_bytes(12.0, seed=2), sound_bytes(0.2, seed=3))
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hearing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[MediaEngines]:
    directory = tmp_path_factory.mktemp("qwen2_audio")
    save_tiny_audio_model(directory, QWEN2_AUDIO_FOR_VLLM)
    async with engines_of(directory) as engines:
        yield engines


@pytest.mark.asyncio(loop_scope="module")
async def test_a_model_that_hears_is_read_over_vllm(hearing: MediaEngines) -> None:
    assert hearing.vllm.model_info.media == media_of(hearing.vllm).kinds == {MediaKind.AUDIO}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("places", [(), (0,), (1,), (2,), (3,), (0, 1), (2, 3, 0)])
async def test_sounds_give_the_tokens_of_the_own_engine(
    hearing: MediaEngines, places: tuple[int, ...]
) -> None:
    items = [SOUNDS[place] for place in places]
    expected, found = prompt_of(hearing.own, *items), prompt_of(hearing.vllm, *items)
    assert found.token_ids == expected.token_ids
    assert await tokens_of(hearing.vllm, found) == await tokens_of(hearing.own, expected)


def chat(*sounds: bytes, **fields: Any) -> dict[str, Any]:
    parts = [
        {"type": "input_audio", "input_audio": {"data": b64encode(data).decode(), "format": "wav"}}
        for data in sounds
    ]
    content = [*parts, {"type": "text", "text": "What is it?"}]
    return {
        "model": "m",
        "messages": [{"role": "user", "content": content}],
        "max_tokens": 8,
        "temperature": 0,
        **fields,
    }


@pytest.mark.asyncio(loop_scope="module")
async def test_chats_with_sounds_are_answered_and_refused_alike(hearing: MediaEngines) -> None:
    answers = []
    for engine in (hearing.own, hearing.vllm):
        app = build_app(Settings(served_model_name="m"), engine)
        answered = [
            (await send(app, "POST", "/openai/v1/chat/completions", json=body)).json()
            for body in (
                chat(SOUNDS[0].data),
                chat(STEREO, SOUNDS[3].data),
                chat(b"hello"),
                chat(sound_bytes(31)),
            )
        ]
        answers.append([{name: one.get(name) for name in ("choices", "usage", "error")} for one in answered])
    own, over_vllm = answers
    assert over_vllm == own
    assert [bool(one["error"]) for one in own] == [False, False, True, True]
    assert own[1]["usage"]["prompt_tokens_details"]["audio_tokens"] > 20


@pytest.mark.asyncio(loop_scope="module")
async def test_a_rendered_chat_is_computed_by_vllm(hearing: MediaEngines) -> None:
    """`/render` of the own engine's server writes what vLLM's token API takes."""
    app = build_app(Settings(served_model_name="m"), hearing.own)
    body = chat(SOUNDS[0].data)
    rendered = (await send(app, "POST", "/openai/v1/chat/completions/render", json=body)).json()
    answered = (await send(app, "POST", "/openai/v1/chat/completions", json=body)).json()
    asked = {name: value for name, value in rendered.items() if value is not None}
    asked["sampling_params"] = {"max_tokens": 8, "temperature": 0, "ignore_eos": True}
    async with httpx.AsyncClient(timeout=120) as client:
        response = await client.post(f"{hearing.url}/inference/v1/generate", json=asked)
    (choice,) = response.raise_for_status().json()["choices"]
    text = hearing.own.tokenizer.hf.decode(choice["token_ids"], skip_special_tokens=True)
    assert text == answered["choices"][0]["message"]["content"]
