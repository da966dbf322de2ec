"""Sounds over a real vLLM, sent as `content_parts`: the tokens and answers of Verbatim's own engine."""

from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any, Final

import numpy as np
import pytest
import pytest_asyncio

from engine.port.media_item import MediaItem
from engine.port.request import MediaKind
from tests.support.samples.sounds import encoded, sound_bytes, tone
from tests.support.tiny_models.audio import QWEN2_AUDIO_FOR_VLLM, save_tiny_audio_model
from tests.unit.engine.remote.test_media import media_of
from tests.vllm.media_engines import MediaEngines, chat_of, engines_of

pytestmark = [pytest.mark.timeout(900), pytest.mark.asyncio(loop_scope="module")]

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


async def test_a_model_that_hears_is_read_over_vllm(hearing: MediaEngines) -> None:
    assert hearing.vllm.model_info.media == media_of(hearing.vllm).kinds == {MediaKind.AUDIO}


@pytest.mark.parametrize("places", [(), (0,), (1,), (2,), (3,), (0, 1), (2, 3, 0)])
async def test_sounds_give_the_tokens_of_the_own_engine(
    hearing: MediaEngines, places: tuple[int, ...]
) -> None:
    await hearing.assert_same_tokens([SOUNDS[place] for place in places])


def chat(*sounds: bytes) -> dict[str, Any]:
    return chat_of(
        [
            {"type": "input_audio", "input_audio": {"data": b64encode(data).decode(), "format": "wav"}}
            for data in sounds
        ]
    )


async def test_chats_with_sounds_are_answered_and_refused_alike(hearing: MediaEngines) -> None:
    bodies = (
        chat(SOUNDS[0].data),
        chat(STEREO, SOUNDS[3].data),
        chat(b"hello"),
        chat(sound_bytes(31)),
    )
    answers = await hearing.same_chats(bodies)
    assert [bool(one["error"]) for one in answers] == [False, False, True, True]
    assert answers[1]["usage"]["prompt_tokens_details"]["audio_tokens"] > 20


async def test_a_rendered_chat_is_computed_by_vllm(hearing: MediaEngines) -> None:
    await hearing.assert_vllm_computes_what_is_rendered(chat(SOUNDS[0].data))
