"""Contracts over token servers that have no room, or are killed while they answer."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from engine.demo_model import DEMO_MODEL
from engine.remote.config import RemoteConfig
from engine.remote.local.local_server import with_port
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.apis import APIS
from handlers.composition import TABLES, build_app
from handlers.settings.settings import Settings
from tests.support.samples.contracts import LongRequest, samples_of
from tests.support.scripted import token_server_program as program
from tests.support.scripted.token_server import Reply, answers, refuses, running_upstream
from tests.support.servers.running_app import running_app
from tests.support.token_servers import emulated_sglang as sglang
from tests.unit.verbatim_kit.runtime.client import send

NUM_STREAMS = 50

ONE_TOKEN: dict[str, Reply] = {
    "vllm": answers({"choices": [{"index": 0, "token_ids": [5], "finish_reason": "length"}]}),
    "verbatim": answers({"choices": [{"index": 0, "token_ids": [5], "finish_reason": "length"}]}),
    "sglang": answers(sglang.answer([5], "length")),
}

# A server's Retry-After, and the client's; None for the front's own.
NAMED = {"7": "7", "100000": "60", "0": None, "soon": None, "": None}


@asynccontextmanager
async def over(api: str, *urls: str) -> AsyncIterator[ASGIApp]:
    engine = await RemoteEngine.start(RemoteConfig(model=str(DEMO_MODEL), api=api, urls=urls))
    try:
        yield build_app(Settings(), engine)
    finally:
        await engine.stop()


@pytest.mark.by_turns("api", "contract")
@pytest.mark.parametrize("contract", TABLES)
@pytest.mark.parametrize("api", sorted(APIS))
@pytest.mark.parametrize("status", [429, 503])
async def test_the_time_that_a_server_names_reaches_the_client(contract: str, api: str, status: int) -> None:
    async with running_upstream(ONE_TOKEN[api]) as upstream:
        upstream.models[0]["max_model_len"] = 2048
        async with over(api, upstream.url) as app:
            for request in samples_of(contract).long_requests:
                for named, expected in NAMED.items():
                    upstream.replies = [refuses(status, headers={"Retry-After": named})]
                    response = await ask(app, contract, request)
                    assert response.status_code in (429, 503, 529), response.text
                    found = response.headers["retry-after"]
                    assert found == expected if expected else 1 <= int(found) <= 2


async def ask(app: ASGIApp, contract: str, request: LongRequest) -> httpx.Response:
    path, headers = f"/{contract}{request.path}", samples_of(contract).headers
    return await send(app, "POST", path, json=request.body, headers=headers)


@asynccontextmanager
async def processes(num: int) -> AsyncIterator[list[tuple[str, asyncio.subprocess.Process]]]:
    """Yield the URL and the process of scripted servers that run apart."""
    running = []
    try:
        for _ in range(num):
            command, url = with_port(
                (sys.executable, "-m", "tests.support.scripted.token_server_program", "{port}")
            )
            process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
            running.append((url, process))
        for _, process in running:
            assert process.stdout is not None
            await asyncio.wait_for(process.stdout.readline(), 120)
        yield running
    finally:
        for _, process in running:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def test_streams_over_a_server_that_is_killed_end_whole_or_with_the_contracts_error() -> None:
    body = {
        "model": "verbatim-demo",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": program.SLOW + 1,
        "stream": True,
    }
    num_begun, has_begun = 0, asyncio.Event()

    async def stream(client: httpx.AsyncClient) -> list[dict[str, Any]]:
        """Return the events of a stream that ends as the contract says."""
        nonlocal num_begun
        found = []
        async with client.stream("POST", "/openai/v1/chat/completions", json=body) as response:
            assert response.status_code == 200
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    found.append(line.removeprefix("data: "))
                    if len(found) == 1:
                        num_begun += 1
                        if num_begun == NUM_STREAMS:
                            has_begun.set()
        assert found.pop() == "[DONE]"
        return [json.loads(each) for each in found]

    async with (
        processes(2) as ((url, _), (lost_url, lost)),
        over("vllm", url, lost_url) as app,
        running_app(app) as front,
        httpx.AsyncClient(base_url=front, timeout=60, limits=httpx.Limits(max_connections=None)) as client,
    ):
        streams = [asyncio.create_task(stream(client)) for _ in range(NUM_STREAMS)]
        async with asyncio.timeout(60):
            await has_begun.wait()
        lost.send_signal(signal.SIGKILL)
        async with asyncio.timeout(5):
            ended = await asyncio.gather(*streams)
    whole = [each for each in ended if "error" not in each[-1]]
    failed = [each for each in ended if "error" in each[-1]]
    texts = {"".join(one["choices"][0]["delta"].get("content") or "" for one in each) for each in whole}
    assert len(texts) == 1, "none ends like a whole one that is not"
    assert {each[-1]["choices"][0]["finish_reason"] for each in whole} == {"stop"}
    assert len(whole) == NUM_STREAMS // 2 and len(failed) == NUM_STREAMS // 2
    assert {each[-1]["error"]["type"] for each in failed} == {"server_error"}
