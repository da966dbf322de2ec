"""Take the pictures of the chat and of `verbatim top` in docs/assets anew, from a running server.

`make pictures` runs it, and needs Chromium. The server should be fresh, and serve the embedded model.
"""

import argparse
import asyncio
import os
import shutil
from pathlib import Path

import httpx
from playwright.async_api import async_playwright

from handlers.commands.top.screen import Top

_ASSETS = Path(__file__).parents[2] / "docs" / "assets"
_SAYINGS = ("Hello! My name is Ada.", "What is the capital of France?", "What is my name?")
_ROUNDS = 30  # of requests, each a second long at least, so that `top` has a curve to show


async def chat(url: str) -> None:
    """Hold a short conversation with the model on the page at `/`."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), chromium_sandbox=os.getuid() != 0
        )
        page = await browser.new_page(viewport={"width": 1280, "height": 720})
        await page.goto(url)
        for said in _SAYINGS:
            await page.locator("#send:enabled").wait_for()
            await page.locator("#say").fill(said)
            await page.keyboard.press("Enter")
            await page.locator("#log[aria-busy=false] .exchange >> nth=-1").wait_for()
        await page.screenshot(path=_ASSETS / "chat.png")
        await browser.close()


async def top(url: str) -> None:
    """Watch some rounds of one to eight requests at once, and a refused one."""
    app = Top(url)
    async with app.run_test(size=(100, 32)), httpx.AsyncClient(base_url=url, timeout=600) as client:
        await client.post("/v1/completions", json={"model": "verbatim-demo", "prompt": "a", "temprature": 0})
        for round in range(_ROUNDS):
            body = {"model": "verbatim-demo", "prompt": "Once upon a time", "max_tokens": 60}
            asked = [client.post("/v1/completions", json=body) for _ in range(1 + round % 8)]
            await asyncio.gather(asyncio.sleep(1), *asked)
        app.save_screenshot("top.svg", str(_ASSETS))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8080")
    given = parser.parse_args()
    asyncio.run(chat(given.url))
    asyncio.run(top(given.url))
