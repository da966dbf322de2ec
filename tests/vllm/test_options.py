"""A front over a vLLM server with adapters, priorities and counts of cached tokens.

With VLLM_OPTIONS_URL the tests ask a server that runs already, which must have been started as `server`
starts it, with the adapters of `adapters`.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import ClassVar

import httpx
import pytest
import pytest_asyncio

from engine.demo_model import DEMO_MODEL
from engine.port.request import SamplingParams
from engine.remote.client.upstream import Upstream
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.token_api import ApiFacts
from engine.remote.wire.vllm import VllmApi
from tests.support.token_servers.real_server import Engines
from tests.support.token_servers.same_options import (
    SameOptions,
    engines_with_adapter,
    events,
    new_request,
    save_adapters,
)
from tests.vllm.conftest import serve

pytestmark = pytest.mark.timeout(900)

TOLERANCE = 1e-3


@pytest.fixture(scope="module")
def adapters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_adapters(tmp_path_factory.mktemp("adapters"))


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
    async with engines_with_adapter("vllm", server, adapters, priorities=True) as found:
        yield found


class TestVllm(SameOptions):
    loads: ClassVar[str] = "/v1/load_lora_adapter"
    unloads: ClassVar[str] = "/v1/unload_lora_adapter"
    block_size: ClassVar[int] = 16


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
