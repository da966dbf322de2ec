"""Media through the whole application: CVE-2026-0599 and CVE-2026-33626 among others, and the settings."""

import asyncio
import time
from base64 import b64encode
from pathlib import Path
from typing import Any, Final

import pytest
from aiohttp import web
from pydantic import ValidationError

from engine.config import MAX_IMAGE_PIXELS
from engine.port.errors import EngineBusy
from handlers.settings.settings import Settings
from tests.support.scripted.media_processor import png, seeing_engine
from tests.unit.handlers.contracts.openai.api import CHAT, MODEL, Api
from tests.unit.handlers.media.test_fetcher import serving

GENERATE: Final = "/tgi/generate"


def asked(*urls: str, words: str = "Hi", **fields: Any) -> dict[str, Any]:
    parts: list[object] = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    content = [*parts, {"type": "text", "text": words}]
    return {"model": MODEL, "messages": [{"role": "user", "content": content}], **fields}


def data(content: bytes) -> str:
    return f"data:image/png;base64,{b64encode(content).decode()}"


async def untouched(request: web.Request) -> web.Response:
    raise AssertionError("the server must not be reached")


@pytest.mark.parametrize("domains", [(), ("127.0.0.1:{port}",), ("localhost:{port}",)])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]"])
async def test_an_image_of_the_own_network_is_not_fetched(domains: tuple[str, ...], host: str) -> None:
    """CVE-2026-33626: a URL of an image reached whatever the server could reach."""
    async with serving(untouched) as port:
        allowed = tuple(domain.format(port=port) for domain in domains)
        api = Api(seeing_engine()[0], media_domains=allowed)
        status, error = await api.error(CHAT, asked(f"http://{host}:{port}/latest/meta-data"))
    assert (status, error["param"]) == (400, "messages[0].content[0]")
    assert api.engine.requests == []


@pytest.mark.parametrize(
    "body",
    [
        {"inputs": "![](http://127.0.0.1:{port}/)" + "x" * 2000, "parameters": {"max_new_tokens": 5}},
        {"inputs": "![](http://127.0.0.1:{port}/)", "parameters": {"max_new_tokens": 5000}},
        {"inputs": "![](http://127.0.0.1:{port}/)", "parameters": {"best_of": 1000}},
    ],
)
async def test_nothing_is_fetched_for_a_prompt_that_is_refused_anyway(
    body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """CVE-2026-0599: images were fetched, without a bound, before anything else was checked."""
    monkeypatch.setattr("handlers.media.fetcher.is_public", lambda address: True)
    async with serving(untouched) as port:
        api = Api(seeing_engine()[0], media_domains=(f"127.0.0.1:{port}",))
        inputs = body["inputs"].format(port=port)
        response = await api.post(GENERATE, {**body, "inputs": inputs})
    assert response.status_code == 422 and "URL" not in response.text


async def test_an_endless_image_is_bounded_in_bytes_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """CVE-2026-0599: the whole body was read into memory."""
    monkeypatch.setattr("handlers.media.fetcher.is_public", lambda address: True)

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65_536)

    async def slow(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        raise AssertionError("nobody waits so long")

    limits = {"max_media_bytes": 1_000_000, "media_timeout": 1.0}
    for handler, reason in ((endless, "1000000 bytes"), (slow, "within 1 seconds")):
        async with serving(handler) as port:
            api = Api(seeing_engine()[0], media_domains=(f"127.0.0.1:{port}",), **limits)
            start = time.monotonic()
            status, error = await api.error(CHAT, asked(f"http://127.0.0.1:{port}/"))
            assert (status, error["param"]) == (400, "messages[0].content[0]")
            assert reason in error["message"] and time.monotonic() - start < 20


async def test_an_image_that_is_allowed_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handlers.media.fetcher.is_public", lambda address: True)

    async def picture(request: web.Request) -> web.Response:
        return web.Response(body=png())

    async with serving(picture) as port:
        engine, media = seeing_engine()
        api = Api(engine, media_domains=(f"127.0.0.1:{port}",))
        await api.answer(CHAT, asked(f"http://127.0.0.1:{port}/a.png"))
    assert [item.data for item in media.items] == [png()]


async def test_a_file_below_the_media_root_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    engine, media = seeing_engine()
    api = Api(engine, media_root=str(tmp_path))
    await api.answer(CHAT, asked(f"file://{tmp_path}/a.png"))
    assert [item.data for item in media.items] == [png()]


@pytest.mark.parametrize(
    ("path", "body"), [(CHAT, asked(data(png()))), (GENERATE, {"inputs": f"![]({data(png())})"})]
)
async def test_a_machine_too_busy_to_decode_is_not_the_clients_fault(
    path: str, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise EngineBusy("no place became free")

    engine, media = seeing_engine()
    monkeypatch.setattr(media, "expand", busy)
    response = await Api(engine).post(path, body)
    assert (response.status_code in (429, 503), "retry-after" in response.headers) == (True, True)


async def test_the_bytes_of_a_request_are_bounded() -> None:
    api = Api(seeing_engine()[0], max_media_bytes=len(png()) + 10)
    await api.answer(CHAT, asked(data(png())))
    status, error = await api.error(CHAT, asked(data(png()), data(png())))
    assert status == 400 and "together" in error["message"]


async def test_bodies_with_images_may_be_longer_unless_the_operator_says_how_long() -> None:
    image = data(png() + b"\0" * 2_000_000)
    await Api(seeing_engine()[0]).answer(CHAT, asked(image))
    for api in (Api(seeing_engine()[0], payload_limit=2_000_000), Api(lambda request: ())):
        assert (await api.post(CHAT, asked(image))).status_code == 413


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"media_domains": ("https://example.com",)}, "media_domains"),
        ({"media_root": "/no/such/directory"}, "media_root"),
        ({"max_media_items": 0}, "max_media_items"),
        ({"max_media_bytes": 0}, "max_media_bytes"),
        ({"max_image_pixels": 0}, "max_image_pixels"),
        ({"image_background": "white"}, "image_background"),
        ({"max_audio_seconds": 0}, "max_audio_seconds"),
        ({"max_image_pixels": MAX_IMAGE_PIXELS + 1}, "max_image_pixels"),
        ({"max_video_seconds": 0}, "max_video_seconds"),
        ({"max_video_frames": 0}, "max_video_frames"),
        ({"media_timeout": 0}, "media_timeout"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        Settings(**settings)
