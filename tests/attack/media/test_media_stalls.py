"""Many requests with an image each, at once: none of them holds the event loop."""

import asyncio
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import httpx

from engine.async_engine import AsyncEngine
from engine.config import EngineConfig
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.clocks.loop_time import timed_loop
from tests.support.servers.running_app import running_app
from tests.support.tiny_models.media import image_bytes, save_tiny_media_model

NUM_REQUESTS: Final = 32
MAX_STALL_S: Final = 0.05
TIMEOUT_S: Final = 300.0
CHAT: Final = "/openai/v1/chat/completions"


async def test_the_loop_does_not_compute_images(tmp_path: Path) -> None:
    """Each turn of the loop is measured by the time that its thread computes, so that other processes of the
    machine, and the clients' threads, do not count.
    """
    save_tiny_media_model(tmp_path, "qwen2_5_vl")
    engine = await AsyncEngine.start(
        EngineConfig(model=str(tmp_path), device="cpu", dtype="float32", num_kv_blocks=256)
    )
    try:
        async with running_app(build_app(Settings(served_model_name="m"), engine)) as url:
            asked = [_body(seed) for seed in range(NUM_REQUESTS)]
            loop = asyncio.get_running_loop()
            with ThreadPoolExecutor(NUM_REQUESTS) as clients:
                async with timed_loop() as loop_time:
                    futures = [loop.run_in_executor(clients, _status, url, body) for body in asked]
                    statuses = await asyncio.gather(*futures)
    finally:
        await engine.stop()
    assert set(statuses) == {200}
    assert loop_time.longest_s < MAX_STALL_S


def _status(url: str, body: bytes) -> int:
    headers = {"content-type": "application/json"}
    return httpx.post(url + CHAT, content=body, headers=headers, timeout=TIMEOUT_S).status_code


def _body(seed: int) -> bytes:
    """Return a request with a picture of its own, of 1.2 million pixels in a file of 300 kB."""
    file = image_bytes(1280, 960, seed=seed)
    picture = b64encode(file + bytes(300_000 - len(file))).decode()
    url = f"data:image/png;base64,{picture}"
    return (
        b'{"model": "m", "max_tokens": 4, "messages": [{"role": "user", "content": [{"type": "image_url", '
        b'"image_url": {"url": "' + url.encode() + b'"}}, {"type": "text", "text": "What?"}]}]}'
    )
