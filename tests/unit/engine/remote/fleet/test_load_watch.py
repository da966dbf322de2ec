"""The load of servers, read from their metrics: whatever they answer, and however many they are."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from engine.remote.client.upstream import Upstream
from engine.remote.fleet.load_watch import _MAX_BYTES, Load, LoadWatch, load_of
from engine.remote.wire.apis import APIS
from engine.remote.wire.token_api import VLLM_LOAD
from tests.support.scripted.token_server import (
    Body,
    Reply,
    ScriptedUpstream,
    drops,
    hangs,
    refuses,
    running_upstream,
)


def of_vllm(*engines: tuple[int, float]) -> str:
    """Return the metrics of a vLLM server that has these engines, by what waits and the share in use."""
    lines = ["# HELP vllm:num_requests_waiting Waiting.", "# TYPE vllm:num_requests_waiting gauge"]
    for number, (num_waiting, usage) in enumerate(engines):
        labels = f'engine="{number}",model_name="a }} 7"'
        lines += [
            f"vllm:num_requests_waiting{{{labels}}} {num_waiting:.1f}",
            f'vllm:num_requests_waiting_by_reason{{{labels},reason="capacity"}} 90.0',
            f"vllm:kv_cache_usage_perc{{{labels}}} {usage}",
        ]
    return "".join(f"{line}\n" for line in lines)


def test_a_servers_engines_are_added_and_their_shares_averaged() -> None:
    assert load_of(of_vllm((3, 0.5)).encode(), VLLM_LOAD) == Load(3, 0.5)
    assert load_of(of_vllm((3, 0.5), (4, 0.25)).encode(), VLLM_LOAD) == Load(7, 0.375)


def test_sglangs_names_are_its_own() -> None:
    text = 'sglang:num_queue_reqs{model_name="m",tp_rank="0"} 2.0\nsglang:token_usage{model_name="m"} 0.1\n'
    assert load_of(text.encode(), APIS["sglang"].load_metrics) == Load(2, 0.1)
    assert load_of(text.encode(), APIS["vllm"].load_metrics) is None
    assert APIS["verbatim"].load_metrics == APIS["vllm"].load_metrics


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\xff\x00",
        "vllm:num_requests_waiting 3\n",
        "vllm:kv_cache_usage_perc 0.5\n",
        "vllm:num_requests_waiting NaN\nvllm:kv_cache_usage_perc 0.5\n",
        "vllm:num_requests_waiting 1\nvllm:kv_cache_usage_perc +Inf\n",
        "vllm:num_requests_waiting -1\nvllm:kv_cache_usage_perc 0.5\n",
        "vllm:num_requests_waiting many\nvllm:kv_cache_usage_perc 0.5\n",
        "vllm:num_requests_waiting\nvllm:kv_cache_usage_perc\n",
    ],
)
def test_metrics_without_the_numbers_are_no_load(text: str) -> None:
    assert load_of(text.encode("latin-1"), VLLM_LOAD) is None


@asynccontextmanager
async def watched(*upstreams: ScriptedUpstream, timeout_s: float = 60) -> AsyncIterator[LoadWatch]:
    servers = [Upstream(each.url, api_key=None, timeout_s=60) for each in upstreams]
    watch = LoadWatch(servers, VLLM_LOAD)
    keeping = asyncio.create_task(watch.keep(period_s=0.001, timeout_s=timeout_s))
    try:
        yield watch
    finally:
        keeping.cancel()
        for server in servers:
            await server.close()


async def until(watch: LoadWatch, load: Load | None) -> None:
    async with asyncio.timeout(60):
        while watch.latest != load:
            await asyncio.sleep(0.001)


async def test_the_load_is_that_of_all_servers_and_changes_with_theirs() -> None:
    async with (
        running_upstream(hangs()) as first,
        running_upstream(hangs()) as second,
        watched(first, second) as watch,
    ):
        assert watch.latest is None
        first.metrics, second.metrics = of_vllm((1, 0.5)), of_vllm((4, 1.0))
        await until(watch, Load(5, 0.75))
        second.metrics = of_vllm((0, 0.0))
        await until(watch, Load(1, 0.25))
        await second.stop()
        await until(watch, Load(1, 0.5))
        await first.stop()
        await until(watch, None)


async def too_much(request: web.Request, body: Body) -> web.StreamResponse:
    return web.Response(text=of_vllm((9, 0.5)) + "#" * _MAX_BYTES)


@pytest.mark.parametrize(
    "reply",
    [refuses(404), refuses(500), drops(), hangs(), too_much],
    ids=["404", "500", "drops", "hangs", "too much"],
)
async def test_a_server_that_reports_no_load_is_left_out(reply: Reply) -> None:
    async with running_upstream(hangs()) as first, running_upstream(hangs()) as second:
        first.metrics, second.metrics = of_vllm((1, 0.5)), of_vllm((4, 1.0))
        async with watched(first, second, timeout_s=1) as watch:
            await until(watch, Load(5, 0.75))
            second.metrics = reply
            await until(watch, Load(1, 0.5))
