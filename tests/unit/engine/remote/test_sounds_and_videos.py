"""Sounds and videos through servers: the same tokens as from the engine behind them, and what vLLM gets."""

import base64
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

import av
import numpy as np
import pytest
import pytest_asyncio
from aiohttp import web

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.media.process.client import SHARED
from engine.port.errors import InvalidMedia, InvalidRequest
from engine.port.media_item import FilePrompt, MediaItem
from engine.port.request import MediaKind
from engine.remote.remote_engine import RemoteEngine
from engine.remote.sample_files import SAMPLES
from engine.remote.servers import patience
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.samples.sounds import RATE, encoded, sound_bytes, tone
from tests.support.samples.videos import video_bytes
from tests.support.scripted.token_server import Body, drops, refuses, running_upstream
from tests.support.servers.running_app import running_app
from tests.support.tiny_models.audio import AUDIO_FAMILIES, save_tiny_audio_model
from tests.support.tiny_models.media import image_bytes
from tests.support.tiny_models.video import save_tiny_video_model
from tests.unit.engine.remote.prompts_of_files import processor_of, unexpected
from tests.unit.engine.remote.test_media import expands_to, media_of, prompt_of, started, tokens_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

PICTURE = MediaItem(MediaKind.IMAGE, image_bytes(30, 20))
SOUNDS = [MediaItem(MediaKind.AUDIO, sound_bytes(seconds)) for seconds in (1.3, 0.4)]
VIDEOS = [
    MediaItem(MediaKind.VIDEO, video_bytes(num_frames, 32, 32, seed=num_frames)) for num_frames in (8, 5)
]
# Families, with the files that they read.
READ: Final[dict[str, list[MediaItem]]] = {
    "qwen2_audio": SOUNDS,
    "gemma4": [*SOUNDS, PICTURE],
    "qwen3_vl": [*VIDEOS, PICTURE],
    "smolvlm": VIDEOS,
}


def save(directory: Path, family: str) -> None:
    (save_tiny_audio_model if family in AUDIO_FAMILIES else save_tiny_video_model)(directory, family)


class Engines(NamedTuple):
    """An engine, and one over the server of the first."""

    own: AsyncEngine
    remote: RemoteEngine
    items: list[MediaItem]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=list(READ))
async def engines(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Engines]:
    directory = tmp_path_factory.mktemp(request.param)
    save(directory, request.param)
    own = await AsyncEngine.start(
        EngineConfig(model=str(directory), device="cpu", dtype="float32", num_kv_blocks=64)
    )
    async with (
        running_app(build_app(Settings(), own)) as url,
        started(directory, f"{url}/tokens", api="verbatim") as (remote, said),
    ):
        assert unexpected(said) == []
        yield Engines(own, remote, READ[request.param])
    await own.stop()


async def test_files_give_the_same_tokens_as_in_the_engine_behind_the_server(engines: Engines) -> None:
    own, remote, items = engines
    for some in (items[:1], items, [items[1], items[0], items[1]]):
        expected, found = prompt_of(own, *some), prompt_of(remote, *some)
        assert found.token_ids == expected.token_ids
        places = [(one.position, one.num_tokens, one.kind, one.digest) for one in expected.media]
        assert [(one.position, one.num_tokens, one.kind, one.digest) for one in found.media] == places
        assert [one.features["arrays"] for one in found.media] == [{}] * len(some)
        assert await tokens_of(remote, found) == await tokens_of(own, expected)


async def test_the_engine_over_a_server_reads_what_the_engine_behind_it_reads(engines: Engines) -> None:
    own, remote, items = engines
    assert remote.model_info.media == own.model_info.media == {*media_of(remote).kinds}
    assert remote.model_info.media >= {item.kind for item in items}


async def test_a_file_that_cannot_be_read_has_the_same_refusal(engines: Engines) -> None:
    for kind in {item.kind for item in engines.items}:
        broken = MediaItem(kind, b"hello")
        reasons = set()
        for engine in (engines.own, engines.remote):
            with pytest.raises(InvalidMedia) as raised:
                prompt_of(engine, engines.items[0], broken)
            reasons.add((raised.value.index, raised.value.reason))
        assert len(reasons) == 1 and {index for index, _ in reasons} == {1}


async def test_a_front_decodes_no_frame_and_the_engine_finds_what_is_broken(
    engines: Engines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file may have a part that holds no frame, which is found where it is decoded; it is a bad request."""
    own, remote, _ = engines
    if MediaKind.VIDEO not in media_of(remote).kinds:
        pytest.skip("the family sees no videos")
    whole = video_bytes(8, 32, 32, format="matroska", codec="mjpeg")
    cut_off, broken = whole[: len(whole) * 2 // 3], without_frames(whole)
    with monkeypatch.context() as patch:
        patch.setattr(SHARED, "read_frames", None)
        prompts = [prompt_of(remote, MediaItem(MediaKind.VIDEO, data)) for data in (whole, cut_off, broken)]
    for data, prompt in zip((whole, cut_off), prompts, strict=False):
        expected = prompt_of(own, MediaItem(MediaKind.VIDEO, data))
        assert prompt.token_ids == expected.token_ids
        assert await tokens_of(remote, prompt) == await tokens_of(own, expected)
    with pytest.raises(InvalidRequest, match="the engine refuses the request: .*broken or cut off"):
        await tokens_of(remote, prompts[2])
    with pytest.raises(InvalidMedia, match="broken or cut off"):
        prompt_of(own, MediaItem(MediaKind.VIDEO, broken))


def without_frames(data: bytes) -> bytes:
    """Return a video whose parts have zeros in the place of what they hold."""
    with av.open(BytesIO(data), "r") as container:
        parts = [bytes(packet) for packet in container.demux(video=0) if packet.size]
    for part in parts:
        assert part in data
        data = data.replace(part, bytes(len(part)))
    return data


class Sample(NamedTuple):
    """The tokens of the small file of a kind by which servers are tried."""

    placeholder: int
    token_ids: list[int]


def sample(directory: Path, kind: MediaKind) -> Sample:
    processor, tokenizer = processor_of(directory, keeps_arrays=False)
    (placeholder,) = [id for id, found in processor._kinds.items() if found is kind]
    return Sample(
        placeholder, list(processor.expand([placeholder], [MediaItem(kind, SAMPLES[kind]())]).token_ids)
    )


async def test_vllm_gets_the_samples_that_the_model_gets(tmp_path: Path) -> None:
    """It would decode and scale in time by itself, and find a few samples more or less."""
    save(tmp_path, "qwen2_audio")
    of_sample = sample(tmp_path, MediaKind.AUDIO)
    stereo = encoded(np.stack([tone(0.7, rate=44_100), tone(0.7, pitch=900, rate=44_100)]), rate=44_100)
    async with (
        running_upstream(expands_to({of_sample.placeholder: of_sample.token_ids})) as upstream,
        started(tmp_path, upstream.url) as (engine, said),
    ):
        assert unexpected(said) == []
        assert engine.model_info.media == {MediaKind.AUDIO}
        prompt = prompt_of(engine, MediaItem(MediaKind.AUDIO, stereo))
    (body,) = [body for body in upstream.received if "content_parts" in body]
    assert [part["type"] for part in body["content_parts"]] == ["audio_url"]
    assert isinstance(prompt, FilePrompt)
    sent = base64.b64decode(prompt.sources[0].partition(b",")[2])
    with av.open(BytesIO(sent)) as container:
        (stream,) = container.streams.audio
        assert (stream.rate, stream.channels, stream.codec_context.name) == (RATE, 1, "pcm_f32le")
    np.testing.assert_array_equal(SHARED.read_audio(sent, RATE, 10), SHARED.read_audio(stereo, RATE, 10))


async def test_a_kind_that_a_server_refuses_is_off_and_others_stay(tmp_path: Path) -> None:
    save(tmp_path, "gemma4")
    of_image = sample(tmp_path, MediaKind.IMAGE)
    reads = expands_to({of_image.placeholder: of_image.token_ids})

    async def refuses_sounds(request: web.Request, body: Body) -> web.StreamResponse:
        has_sound = any(part["type"] == "audio_url" for part in body.get("content_parts", ()))
        return await (refuses(400, "no sounds here") if has_sound else reads)(request, body)

    async with (
        running_upstream(refuses_sounds) as upstream,
        started(tmp_path, upstream.url) as (engine, lines),
    ):
        assert engine.capabilities.media == media_of(engine).kinds == {MediaKind.IMAGE}
    (said,) = unexpected(lines)
    assert said.startswith("note: audio cannot be read") and "no sounds here" in said


async def test_a_server_without_room_for_a_file_at_the_start_reads_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "_PAUSE_S", 0.01)
    save(tmp_path, "qwen2_audio")
    of_sample = sample(tmp_path, MediaKind.AUDIO)
    reads = expands_to({of_sample.placeholder: of_sample.token_ids})
    busy = [refuses(429), refuses(503), drops()]

    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        has_sound = "content_parts" in body
        return await (busy.pop() if has_sound and busy else reads)(request, body)

    async with running_upstream(reply) as upstream, started(tmp_path, upstream.url) as (engine, _):
        assert engine.capabilities.media == {MediaKind.AUDIO}
    assert not busy


async def test_videos_are_not_sent_to_vllm(tmp_path: Path) -> None:
    save(tmp_path, "internvl")
    of_image = sample(tmp_path, MediaKind.IMAGE)
    async with (
        running_upstream(expands_to({of_image.placeholder: of_image.token_ids})) as upstream,
        started(tmp_path, upstream.url) as (engine, _),
    ):
        assert engine.model_info.media == {MediaKind.IMAGE}
