"""The playground where the server asks for a key, or stands behind a proxy that adds a prefix."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest
from aiohttp import web
from playwright.async_api import Page, expect

from tests.browser.bench import Bench
from tests.conftest import LIMITS, running_server

KEY = "it's secret"
BODY = {
    "model": "verbatim-demo",
    "prompt": "Once upon a time",
    "max_tokens": 4,
    "temperature": 0,
    "stream": True,
}


@pytest.fixture(scope="module")
def guarded_url() -> Iterator[str]:
    """Yield the URL of a server that asks for a key."""
    with running_server(*LIMITS, "--api-key", KEY) as server:
        yield server.url


@pytest.fixture
async def prefixed_url(server_url: str) -> AsyncIterator[str]:
    """Yield the URL of a proxy that serves the server under /some/where, and nothing at its own root."""

    async def forward(request: web.Request) -> web.StreamResponse:
        async with (
            aiohttp.ClientSession() as session,
            session.request(
                request.method,
                f"{server_url}/{request.match_info['rest']}",
                data=await request.read(),
                headers={name: request.headers.get(name, "") for name in ("content-type", "accept")},
                allow_redirects=False,
            ) as told,
        ):
            kept = {name: told.headers[name] for name in ("content-type", "location") if name in told.headers}
            answer = web.StreamResponse(status=told.status, headers=kept)
            await answer.prepare(request)
            async for piece in told.content.iter_any():
                await answer.write(piece)
            return answer

    app = web.Application()
    app.router.add_route("*", "/some/where/{rest:.*}", forward)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/some/where"
    await runner.cleanup()


async def test_the_key_is_asked_for_kept_in_the_tab_alone_and_hidden_in_the_command(
    page: Page, guarded_url: str, complaints: list[str]
) -> None:
    bench = Bench(page, guarded_url)
    await bench.ask("openai", "createCompletion", BODY)
    await expect(bench.status).to_contain_text("401")
    complaints.clear()
    await page.fill("#key", KEY)
    await bench.send()
    await expect(bench.status).to_have_text("200 OK")
    assert await page.evaluate("localStorage.length") == 0
    assert "secret" not in await page.inner_text("body")
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.click("#copy")
    await expect(page.locator("#copy")).to_have_text("Copied")
    shell = await asyncio.create_subprocess_exec(
        "sh", "-c", await page.evaluate("navigator.clipboard.readText()"), stdout=asyncio.subprocess.PIPE
    )
    told, _ = await shell.communicate()
    assert told.strip().endswith(b"data: [DONE]")


async def test_behind_a_prefix_all_links_hold(page: Page, prefixed_url: str) -> None:
    bench = Bench(page, prefixed_url)
    await page.goto(f"{prefixed_url}/playground/")
    await expect(page).to_have_url(re.compile(f"^{prefixed_url}/playground#"))
    await bench.ask("openai", "createCompletion", BODY)
    await expect(page.locator(".segment.text")).not_to_be_empty()
    assert f"{prefixed_url}/openai/v1/completions" in await page.inner_text("#curl")
    await expect(page.locator('[data-plot="queue"] strong')).to_have_text("0")


async def test_behind_a_prefix_the_chat_answers_and_names_the_addresses(
    page: Page, prefixed_url: str
) -> None:
    await page.goto(f"{prefixed_url}/")
    await expect(page.locator("#contracts code").first).to_have_text(f"{prefixed_url}/openai/v1")
    await page.fill("#say", "Hello!")
    await page.click("#send")
    await expect(page.locator(".segment.text")).not_to_be_empty()
    link = await page.get_by_role("link", name="Playground").evaluate("one => one.href")
    assert link == f"{prefixed_url}/playground"
