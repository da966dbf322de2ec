"""Images through servers: the same tokens as from the engine behind them, and what is refused."""

import base64
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from PIL import Image

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from engine.port.engine import Engine
from engine.port.errors import GenerationFailed, InvalidMedia, InvalidRequest
from engine.port.media_item import FilePrompt, MediaItem, MediaProcessor
from engine.port.request import GenerationRequest, MediaKind, Prompt, SamplingParams, StopConditions
from engine.port.text.tokenizer import Tokenizer
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from handlers.active_requests.metrics import Metrics
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.samples.images import encoded
from tests.support.scripted.token_server import (
    DONE,
    Body,
    Reply,
    ScriptedUpstream,
    event,
    refuses,
    running_upstream,
)
from tests.support.servers.running_app import running_app
from tests.support.tiny_models.media import image_bytes
from tests.support.tiny_models.video import save_tiny_video_model
from tests.unit.engine.remote.prompts_of_files import unexpected

pytestmark = pytest.mark.asyncio(loop_scope="module")

WIDE, TALL = (
    MediaItem(MediaKind.IMAGE, image_bytes(60, 30)),
    MediaItem(MediaKind.IMAGE, image_bytes(20, 50, seed=1)),
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("qwen2_5_vl")
    save_tiny_video_model(directory, "qwen2_5_vl")
    return directory


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def own(directory: Path) -> AsyncIterator[AsyncEngine]:
    config = EngineConfig(model=str(directory), device="cpu", dtype="float32", num_kv_blocks=64)
    engine = await AsyncEngine.start(config)
    yield engine
    await engine.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def remote(own: AsyncEngine, directory: Path) -> AsyncIterator[RemoteEngine]:
    """Yield an engine over the own one, served by the contract `tokens`."""
    async with (
        running_app(build_app(Settings(), own)) as url,
        started(directory, f"{url}/tokens", api="verbatim") as (engine, _),
    ):
        yield engine


@asynccontextmanager
async def started(directory: Path, url: str, **fields: Any) -> AsyncIterator[tuple[RemoteEngine, list[str]]]:
    """Yield an engine over a server, and what its start reports."""
    said: list[str] = []
    config = RemoteConfig(model=str(directory), urls=(url,), **fields)
    engine = await RemoteEngine.start(config, on_progress=said.append)
    try:
        yield engine, said
    finally:
        await engine.stop()


def media_of(engine: Engine) -> MediaProcessor:
    assert engine.media is not None
    return engine.media


def prompt_of(engine: Engine, *items: MediaItem) -> Prompt:
    media = media_of(engine)
    text = "one " + " and ".join(media.placeholder(item.kind) for item in items) + " what?"
    return media.expand(engine.tokenizer.encode(text), items)


def request_of(prompt: Prompt, **fields: Any) -> GenerationRequest:
    return GenerationRequest(
        request_id="r",
        prompt=prompt,
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=8),
        **fields,
    )


async def tokens_of(engine: Engine, prompt: Prompt, **fields: Any) -> list[tuple[int, int]]:
    found = [event async for event in engine.submit(request_of(prompt, **fields))]
    assert {event.num_prompt_tokens for event in found} == {len(prompt.token_ids)}
    return sorted((event.index, event.token_id) for event in found)


@pytest.mark.parametrize("pictures", [(), (WIDE,), (WIDE, TALL), (TALL, WIDE, WIDE)])
async def test_images_give_the_same_tokens_as_in_the_engine_behind_the_server(
    own: AsyncEngine, remote: RemoteEngine, pictures: tuple[MediaItem, ...]
) -> None:
    expected, found = prompt_of(own, *pictures), prompt_of(remote, *pictures)
    assert found.token_ids == expected.token_ids
    assert [(one.position, one.num_tokens, one.digest) for one in found.media] == [
        (one.position, one.num_tokens, one.digest) for one in expected.media
    ]
    assert await tokens_of(remote, found) == await tokens_of(own, expected)


async def test_each_sequence_of_a_request_sees_the_images(own: AsyncEngine, remote: RemoteEngine) -> None:
    found = await tokens_of(remote, prompt_of(remote, WIDE, TALL), num_sequences=3)
    assert found == await tokens_of(own, prompt_of(own, WIDE, TALL), num_sequences=3)


async def test_an_engine_says_which_files_it_passes_on(own: AsyncEngine, remote: RemoteEngine) -> None:
    for engine in (own, remote):
        assert engine.capabilities.media == engine.model_info.media == media_of(engine).kinds
        assert engine.model_info.media == {MediaKind.IMAGE, MediaKind.VIDEO}


async def test_a_file_that_cannot_be_read_is_refused_before_it_is_sent(remote: RemoteEngine) -> None:
    with pytest.raises(InvalidMedia, match="media item 1: the file is no image"):
        prompt_of(remote, WIDE, MediaItem(MediaKind.IMAGE, b"hello"))


async def test_the_front_keeps_no_arrays_of_images(remote: RemoteEngine) -> None:
    prompt = prompt_of(remote, WIDE)
    assert isinstance(prompt, FilePrompt)
    assert [one.features["arrays"] for one in prompt.media] == [{}]
    assert base64.b64decode(prompt.sources[0].partition(b",")[2]) == WIDE.data


async def test_the_caches_of_images_are_counted(own: AsyncEngine) -> None:
    fresh = MediaItem(MediaKind.IMAGE, image_bytes(40, 40, seed=9))
    before = own.stats().media
    for _ in range(2):
        await tokens_of(own, prompt_of(own, fresh))
    after = own.stats().media
    assert before is not None and after is not None
    assert after.items.num_hits - before.items.num_hits == 1
    assert after.items.num_misses - before.items.num_misses == 1
    assert after.rows.num_misses - before.rows.num_misses == 1
    assert after.items.num_bytes > before.items.num_bytes and after.rows.num_bytes > before.rows.num_bytes
    text = Metrics(own.model_info, own.stats, model_name="m").render()
    labels = '{engine="0",model_name="m"}'
    num_queries = after.items.num_hits + after.items.num_misses
    for line in (
        f"vllm:mm_cache_queries_total{labels} {num_queries:.1f}",
        f"vllm:mm_cache_hits_total{labels} {after.items.num_hits:.1f}",
        f"verbatim_encoder_cache_queries {after.rows.num_hits + after.rows.num_misses:.1f}",
        f"verbatim_encoder_cache_hits {after.rows.num_hits:.1f}",
        f'verbatim_media_cache_bytes{{after="processor"}} {after.items.num_bytes:.1f}',
        f'verbatim_media_cache_bytes{{after="encoder"}} {after.rows.num_bytes:.1f}',
    ):
        assert line in text, line


async def test_a_body_of_megabytes_is_sent(own: AsyncEngine, remote: RemoteEngine) -> None:
    """An image with zeros after its end is the same image in another file."""
    large = MediaItem(MediaKind.IMAGE, WIDE.data + bytes(2**21))
    assert await tokens_of(remote, prompt_of(remote, large)) == await tokens_of(own, prompt_of(own, WIDE))


def expands(tokenizer: Tokenizer, *, drops: int = 0, tells: bool = True) -> Reply:
    """Answer like a server that makes tokens of each placeholder, for an image of 48 patches 12.

    drops: how many of them it leaves out. tells: whether it reports the prompt's tokens.
    """
    pad: Any = tokenizer.hf.backend_tokenizer.token_to_id("<|image_pad|>")
    return expands_to({pad: [pad] * (12 - drops)}, tells=tells)


def expands_to(expanded: Mapping[int, Sequence[int]], *, tells: bool = True) -> Reply:
    """Answer like a server that makes other tokens of placeholders, by their ids."""

    async def reply(request: web.Request, body: Body) -> web.StreamResponse:
        ids: list[int] = []
        for token_id in body["token_ids"]:
            ids += expanded.get(token_id, [token_id])
        told = {"prompt_token_ids": ids} if tells and body.get("return_token_ids") else {}
        if not body.get("stream"):
            choice = {"index": 0, "token_ids": [5], "finish_reason": "length"}
            return web.json_response({"choices": [choice], **told})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(event([5], "length", **told))
        await response.write(DONE)
        return response

    return reply


@asynccontextmanager
async def over_vllm(
    directory: Path, reply: Reply
) -> AsyncIterator[tuple[RemoteEngine, list[str], ScriptedUpstream]]:
    async with running_upstream(reply) as upstream, started(directory, upstream.url) as (engine, said):
        yield engine, said, upstream


async def test_vllm_gets_a_placeholder_for_each_image_and_its_file(directory: Path, own: AsyncEngine) -> None:
    async with over_vllm(directory, expands(own.tokenizer)) as (engine, said, upstream):
        assert unexpected(said) == []
        prompt = prompt_of(engine, WIDE)
        upstream.received.clear()
        upstream.replies[:] = [expands(own.tokenizer, drops=1)]
        with pytest.raises(GenerationFailed):  # images of which the server makes other tokens
            await tokens_of(engine, prompt_of(engine, TALL, TALL))
        (body,) = upstream.received
    assert body["return_token_ids"] is True
    assert body["token_ids"].count(own.tokenizer.hf.backend_tokenizer.token_to_id("<|image_pad|>")) == 2
    assert len(prompt.token_ids) > len(body["token_ids"])
    assert [part["type"] for part in body["content_parts"]] == ["image_url", "image_url"]
    data = base64.b64decode(body["content_parts"][0]["url"].partition(";base64,")[2])
    assert data == TALL.data
    assert "features" not in body


async def test_vllm_gets_an_image_as_it_is_read_here(directory: Path, own: AsyncEngine) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    clear = encoded(Image.new("RGBA", (40, 40), (200, 10, 30, 0)))
    lying = encoded(Image.new("RGB", (60, 30)), "JPEG", exif=exif)
    async with over_vllm(directory, expands(own.tokenizer)) as (engine, _, _):
        prompt = prompt_of(engine, *(MediaItem(MediaKind.IMAGE, data) for data in (clear, lying)))
    assert isinstance(prompt, FilePrompt)
    files = [base64.b64decode(source.partition(b",")[2]) for source in prompt.sources]
    white, upright = (Image.open(BytesIO(data)) for data in files)
    assert (white.mode, white.getpixel((0, 0))) == ("RGB", (255, 255, 255))
    assert (upright.size, dict(upright.getexif())) == ((30, 60), {})


@pytest.mark.parametrize(
    "reply, reason",
    [
        (lambda tokenizer: expands(tokenizer, drops=1), "the server reads them otherwise"),
        (lambda tokenizer: expands(tokenizer, tells=False), "the server reads them otherwise"),
    ],
)
async def test_images_are_off_where_a_server_reads_them_otherwise(
    directory: Path, own: AsyncEngine, reply: Any, reason: str
) -> None:
    async with over_vllm(directory, reply(own.tokenizer)) as (engine, said, _):
        assert (engine.media, engine.model_info.media) == (None, frozenset())
        assert any("images cannot be read" in line and reason in line for line in said)


async def test_images_are_off_where_a_server_refuses_them(directory: Path, own: AsyncEngine) -> None:
    whole = expands(own.tokenizer)

    async def refuses_files(request: web.Request, body: Body) -> web.StreamResponse:
        reply = refuses(400, "no images here", "content_parts") if "content_parts" in body else whole
        return await reply(request, body)

    async with over_vllm(directory, refuses_files) as (engine, said, _):
        assert engine.media is None
        assert any("images cannot be read" in line and "no images here" in line for line in said)


async def test_images_are_off_by_the_setting(directory: Path, own: AsyncEngine) -> None:
    async with (
        running_upstream(expands(own.tokenizer)) as upstream,
        started(directory, upstream.url, media=False) as (engine, _),
    ):
        assert engine.media is None
        assert not any("content_parts" in body for body in upstream.received)


async def test_a_body_that_is_too_long_for_the_server_is_an_invalid_request(
    directory: Path, own: AsyncEngine
) -> None:
    async with over_vllm(directory, expands(own.tokenizer)) as (engine, _, upstream):
        upstream.replies[:] = [refuses(413, "The body is too long")]
        with pytest.raises(InvalidRequest, match="The body is too long"):
            await tokens_of(engine, prompt_of(engine, WIDE))


async def test_images_are_off_where_the_processor_cannot_be_loaded(
    tmp_path: Path, directory: Path, own: AsyncEngine
) -> None:
    broken = tmp_path / "model"
    shutil.copytree(directory, broken)
    (broken / "processor_config.json").write_text('{"processor_class": "NoProcessor"}')
    async with over_vllm(broken, expands(own.tokenizer)) as (engine, said, upstream):
        assert engine.media is None
        assert any(line.startswith("note: images cannot be read: TypeError") for line in said)
        assert not any("content_parts" in body for body in upstream.received)  # none is tried
