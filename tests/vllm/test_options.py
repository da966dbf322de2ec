"""A front over a vLLM server with adapters, priorities and counts of cached tokens.

With VLLM_OPTIONS_URL the tests ask a server that runs already, which must have been started as `server`
starts it, with the adapters of `adapters`.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import pytest
import pytest_asyncio

from engine.config import AdapterSource
from engine.demo_model import DEMO_MODEL
from engine.port.engine import Engine
from engine.port.errors import UnknownAdapter
from engine.port.events import TokenEvent
from engine.port.request import GenerationRequest, SamplingParams, StopConditions
from engine.remote.client.upstream import Upstream
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.token_api import ApiFacts
from engine.remote.wire.vllm import VllmApi
from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.engine_requests import generation_request
from tests.support.tiny_models.lora import save_adapter
from tests.support.token_servers.fronts import new_recording
from tests.support.token_servers.real_server import Engines
from tests.unit.handlers.runtime.client import send
from tests.vllm.conftest import serve

pytestmark = pytest.mark.timeout(900)

GREEDY = SamplingParams(temperature=0.0)
TOLERANCE = 1e-3


@pytest.fixture(scope="module")
def adapters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two adapters of the embedded model."""
    folder = tmp_path_factory.mktemp("adapters")
    for seed, name in enumerate(("poet", "clerk")):
        save_adapter(DEMO_MODEL, folder / name, seed=seed, r=8, lora_alpha=16)
    return folder


@pytest.fixture(scope="module")
def server(adapters: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a server that computes two sequences at once."""
    if given := os.environ.get("VLLM_OPTIONS_URL"):
        yield given
        return
    options = (
        *("--enable-lora", "--lora-modules", f"poet={adapters / 'poet'}", "--max-lora-rank", "8"),
        *("--max-loras", "2", "--max-num-seqs", "2", "--scheduling-policy", "priority"),
        "--enable-prompt-tokens-details",
    )
    url, process = serve(tmp_path_factory.mktemp("vllm") / "log", DEMO_MODEL, 2048, *options)
    try:
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)


@pytest_asyncio.fixture(scope="module")
async def both(server: str, adapters: Path) -> AsyncIterator[Engines]:
    remote = await RemoteEngine.start(
        RemoteConfig(model=str(DEMO_MODEL), urls=(server,), start_timeout_s=800, priorities=True)
    )
    source = AdapterSource("poet", str(adapters / "poet"))
    own = await new_recording(max_total_tokens=None, adapters=(source,))
    yield Engines(own, remote)
    await own.stop()
    await remote.stop()


def new_request(
    engine: Engine, text: str, sampling: SamplingParams = GREEDY, *, max_tokens: int = 24, **fields: Any
) -> GenerationRequest:
    return generation_request(
        request_id=token_hex(8),
        token_ids=engine.tokenizer.encode(text),
        sampling=sampling,
        stopping=StopConditions(max_tokens=max_tokens, ignore_eos=True),
        **fields,
    )


async def events(engine: Engine, request: GenerationRequest) -> list[TokenEvent]:
    async with aclosing(engine.submit(request)) as found:
        return [each async for each in found]


async def tokens(engine: Engine, request: GenerationRequest) -> list[int]:
    return [each.token_id for each in await events(engine, request)]


@pytest.mark.parametrize("text", ["Hello", "The capital of France is", "1 2 3 4"])
async def test_an_adapter_gives_the_tokens_of_our_own_engine_with_it(both: Engines, text: str) -> None:
    plain, adapted = (new_request(both.own, text, adapter=name) for name in (None, "poet"))
    expected = await tokens(both.own, adapted)
    assert await tokens(both.over_server, adapted) == expected
    assert await tokens(both.over_server, plain) == await tokens(both.own, plain) != expected


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/openai/v1/chat/completions",
            {
                "model": "poet",
                "messages": [{"role": "user", "content": "Hi"}],
                "max_tokens": 12,
                "temperature": 0,
            },
        ),
        (
            "/tgi/generate",
            {"inputs": "Hello", "parameters": {"adapter_id": "poet", "max_new_tokens": 12}},
        ),
        (
            "/triton/v2/models/poet/generate",
            {"text_input": "Hello", "parameters": {"max_tokens": 8, "temperature": 0}},
        ),
        (
            "/anthropic/v1/messages",
            {
                "model": "poet",
                "messages": [{"role": "user", "content": "Hi"}],
                "max_tokens": 12,
                "temperature": 0,
            },
        ),
        (
            "/aleph_alpha/complete",
            {"model": "poet", "prompt": "Hello", "maximum_tokens": 6, "temperature": 0},
        ),
    ],
)
async def test_contracts_name_an_adapter_as_over_our_own_engine(
    both: Engines, path: str, body: dict[str, Any]
) -> None:
    said = []
    for engine in both:
        app, headers = build_app(Settings(), engine), {"anthropic-version": "2023-06-01"}
        answer = await send(app, "POST", path, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        said.append(
            found.get("generated_text")
            or found.get("text_output")
            or found.get("content")
            or found.get("completions")
            or [choice["message"]["content"] for choice in found["choices"]]
        )
    assert said[0] == said[1]


async def test_adapters_of_the_server_come_and_go(both: Engines, server: str, adapters: Path) -> None:
    app = build_app(Settings(), both.over_server)

    async def listed() -> list[str]:
        answer = await send(app, "GET", "/openai/v1/models")
        return [model["id"] for model in answer.json()["data"] if model["parent"] is not None]

    async def until_listed(*names: str) -> None:
        async with asyncio.timeout(60):
            while await listed() != list(names):
                await asyncio.sleep(0.1)

    assert await listed() == ["poet"]
    request = new_request(both.own, "Hello", adapter="clerk")
    with pytest.raises(UnknownAdapter):
        await tokens(both.over_server, request)
    async with httpx.AsyncClient(base_url=server, timeout=60) as client:
        loaded = {"lora_name": "clerk", "lora_path": str(adapters / "clerk")}
        assert (await client.post("/v1/load_lora_adapter", json=loaded)).status_code == 200
        try:
            await until_listed("clerk", "poet")
            found = await tokens(both.over_server, request)
            assert found != await tokens(both.own, new_request(both.own, "Hello", adapter="poet"))
        finally:
            gone = await client.post("/v1/unload_lora_adapter", json={"lora_name": "clerk"})
            assert gone.status_code == 200
    await until_listed("poet")
    with pytest.raises(UnknownAdapter):
        await tokens(both.over_server, request)


async def test_cached_tokens_are_counted(both: Engines) -> None:
    """A prompt is found again by the blocks that it fills, and not with another adapter or salt."""
    salt = token_hex(8)
    text = "The quick brown fox jumps over the lazy dog. " * 30

    async def num_cached(**fields: Any) -> int:
        request = new_request(both.own, text, max_tokens=3, **{"cache_salt": salt, **fields})
        return (await events(both.over_server, request))[-1].num_cached_tokens

    assert await num_cached() == 0
    num_tokens = len(both.own.tokenizer.encode(text))
    found = await num_cached()
    assert 0 < found < num_tokens and found % 16 == 0
    assert await num_cached(cache_salt=token_hex(8)) == 0
    assert await num_cached(adapter="poet") == 0
    assert await num_cached(num_sequences=2) == found


async def test_contracts_report_cached_tokens(both: Engines) -> None:
    app = build_app(Settings(), both.over_server)
    body = {
        "model": "verbatim-demo",
        "messages": [{"role": "user", "content": token_hex(300)}],
        "max_tokens": 3,
        "temperature": 0,
    }

    async def num_cached() -> int:
        usage = (await send(app, "POST", "/openai/v1/chat/completions", json=body)).json()["usage"]
        found: int = usage["prompt_tokens_details"]["cached_tokens"]
        return found

    assert await num_cached() == 0
    assert await num_cached() > 0


async def test_a_lower_priority_runs_first(both: Engines) -> None:
    order: list[str] = []

    async def run(name: str, priority: int, max_tokens: int) -> None:
        request = new_request(both.own, "Hello", priority=priority, max_tokens=max_tokens)
        await tokens(both.over_server, request)
        order.append(name)

    long = [asyncio.create_task(run(f"long {place}", 0, 500 + 100 * place)) for place in range(2)]
    while both.over_server.stats().num_running < 2:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    short = list[asyncio.Task[None]]()
    for name, priority in (("late", 5), ("middle", 0), ("first", -5)):
        short.append(asyncio.create_task(run(name, priority, 4)))
        await asyncio.sleep(0.1)
    await asyncio.gather(*long, *short)
    assert [name for name in order if not name.startswith("long")] == ["first", "middle", "late"]


NAMED = SamplingParams(temperature=0.0, num_logprobs=0, logprob_token_ids=(9, 300, 10))


async def test_named_log_probabilities_are_our_own_engines(both: Engines, server: str) -> None:
    """The first model runner, the one for CPUs, lists them too while no other request runs."""
    api = VllmApi(ApiFacts(lists_named_logprobs=True))
    upstream = Upstream(server, api_key=None, timeout_s=60)
    over_server = RemoteEngine(api, [upstream], "m", both.own.tokenizer, both.over_server.model_info)
    request = new_request(both.own, "Hello", NAMED, max_tokens=6)
    expected, found = await events(both.own, request), await events(over_server, request)
    await over_server.stop()
    for one, other in zip(found, expected, strict=True):
        assert [each.token_id for each in one.top_logprobs] == [9, 300, 10]
        for each, own in zip(one.top_logprobs, other.top_logprobs, strict=True):
            assert each.logprob == pytest.approx(own.logprob, abs=TOLERANCE)


async def test_named_log_probabilities_are_refused_where_they_would_spoil_others(
    both: Engines, server: str
) -> None:
    """If this fails, the first model runner keeps the lists of other requests, and the trial can go."""
    assert "logprob_token_ids" in both.over_server.capabilities.missing

    async def num_listed(**others: object) -> list[int]:
        params = {"max_tokens": 60, "temperature": 0.0, "detokenize": False, "ignore_eos": True, **others}
        body = {"model": "m", "token_ids": [5, 6, 7, 8], "sampling_params": params}
        async with httpx.AsyncClient(timeout=60) as client:
            answer = (await client.post(f"{server}/inference/v1/generate", json=body)).json()
        return [len(one["top_logprobs"]) for one in answer["choices"][0]["logprobs"]["content"]]

    assert set(await num_listed(logprobs=3)) == {3}
    beside, _ = await asyncio.gather(
        num_listed(logprobs=3), num_listed(logprobs=2, logprob_token_ids=[9, 10])
    )
    assert set(beside) != {3}
