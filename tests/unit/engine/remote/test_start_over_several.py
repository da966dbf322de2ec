"""The start of an engine over several servers, of which some come late, or come back as others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from engine.demo_model import DEMO_MODEL
from engine.port.errors import ModelNotSupported
from engine.port.events import TokenEvent
from engine.port.request import SamplingParams, StopConditions
from engine.remote.config import RemoteConfig
from engine.remote.fleet import admission
from engine.remote.fleet import server as module
from engine.remote.remote_engine import RemoteEngine
from tests.support.clocks.until import until
from tests.support.engine_requests import generation_request
from tests.support.scripted.token_server import (
    Body,
    Reply,
    ScriptedUpstream,
    answers,
    drops,
    hangs,
    refuses,
    running_upstream,
    sends,
    tokens,
)
from tests.support.token_servers import emulated_sglang as sglang


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "_GRACE_S", 0.3)
    monkeypatch.setattr(module, "PERIOD_S", 0.01)


def computes() -> Reply:
    """Answer the probe whole, and requests in a stream."""
    probe = answers({"choices": [{"index": 0, "token_ids": [5], "finish_reason": "length"}]})
    stream = sends(tokens(5, 6, 2))

    async def reply(request: Any, body: Body) -> Any:
        return await (stream if body.get("stream") else probe)(request, body)

    return reply


def config(*urls: str, **fields: Any) -> RemoteConfig:
    return RemoteConfig(model=str(DEMO_MODEL), urls=urls, **fields)


@asynccontextmanager
async def started(config: RemoteConfig, said: list[str] | None = None) -> AsyncIterator[RemoteEngine]:
    engine = await RemoteEngine.start(config, on_progress=None if said is None else said.append)
    try:
        yield engine
    finally:
        await engine.stop()


async def found(engine: RemoteEngine, name: str) -> list[TokenEvent]:
    request = generation_request(
        request_id=name,
        token_ids=[5],
        sampling=SamplingParams(temperature=0.0),
        stopping=StopConditions(max_tokens=8),
    )
    return [event async for event in engine.submit(request)]


def num_streams(received: list[Body]) -> int:
    return sum(bool(body.get("stream")) for body in received)


async def test_a_server_that_is_down_does_not_hold_up_the_start_and_joins_later() -> None:
    async with running_upstream(computes()) as here, running_upstream(computes()) as late:
        await late.stop()
        said: list[str] = []
        async with started(config(here.url, late.url), said) as engine:
            assert said[-1] == f"warning: starting without the server at {late.url}, which is not ready"
            for name in "abc":
                await found(engine, name)
            assert (await engine.health()).is_healthy
            await late.start()
            await until(lambda: engine._servers[1].is_admitted)
            assert len(late.received) == 3, "its probe and its two trials"
            for name in "defg":
                await found(engine, name)
        assert num_streams(late.received) == 2


@pytest.mark.parametrize("reply", [hangs(), drops(), refuses(503)], ids=["hangs", "drops", "is full"])
async def test_a_server_that_lists_the_model_and_computes_nothing_holds_up_no_start(reply: Reply) -> None:
    async with running_upstream(reply) as broken, running_upstream(computes()) as good:
        async with started(config(broken.url, good.url)) as engine:
            for name in "abc":
                assert len(await found(engine, name)) == 3
        assert num_streams(broken.received) == 0


@pytest.mark.parametrize("grace_s, is_there", [(0.0, False), (60.0, True)], ids=["later", "in time"])
async def test_servers_that_are_ready_soon_after_the_first_are_waited_for(
    monkeypatch: pytest.MonkeyPatch, grace_s: float, is_there: bool
) -> None:
    monkeypatch.setattr(admission, "_GRACE_S", grace_s)
    async with running_upstream(computes()) as first, running_upstream(computes()) as second:
        models, second.models = second.models, []

        def report(line: str) -> None:
            second.models = models  # which it lists when it is asked again, half a second later

        engine = await RemoteEngine.start(config(first.url, second.url), on_progress=report)
        await engine.stop()
        assert [server.is_admitted for server in engine._servers] == [True, is_there]


async def test_no_server_in_time_is_no_start() -> None:
    async with running_upstream(computes()) as first, running_upstream(computes()) as second:
        await first.stop()
        await second.stop()
        with pytest.raises(ModelNotSupported, match="was not ready within"):
            await RemoteEngine.start(config(first.url, second.url, start_timeout_s=0.1))


LATE = {
    "another model": (
        {"id": "other", "max_model_len": 256},
        computes(),
        "serves other, but the other servers serve m",
    ),
    "a smaller context": ({"id": "m", "max_model_len": 64}, computes(), "has a context of 64 tokens"),
    "fewer tokens": ({"id": "m"}, refuses(400, "out of vocabulary"), "the tokenizer is another model's"),
}


@pytest.mark.parametrize("model, reply, reason", LATE.values(), ids=LATE)
async def test_a_late_server_that_is_none_of_ours_gets_nothing(
    model: dict[str, object], reply: Reply, reason: str
) -> None:
    async with running_upstream(computes()) as here, running_upstream(reply) as late:
        late.models = [model]
        await late.stop()
        async with started(config(here.url, late.url)) as engine:
            await late.start()
            await until(lambda: engine._servers[1].refusal is not None)
            for name in "abc":
                assert len(await found(engine, name)) == 3
            health = await engine.health()
            refusal = engine._servers[1].refusal
        assert health.is_healthy and health.reason == "1 of 2 servers do not serve the model"
        assert refusal is not None and reason in refusal
        assert num_streams(late.received) == 0


async def test_a_server_that_comes_back_with_another_model_gets_nothing() -> None:
    async with running_upstream(computes()) as first, running_upstream(computes()) as second:
        async with started(config(first.url, second.url)) as engine:
            await second.stop()
            await until(lambda: not engine._servers[1].is_healthy)
            second.models = [{"id": "other", "max_model_len": 256}]
            await second.start()
            await until(lambda: engine._servers[1].refusal is not None)
            await first.stop()
            await until(lambda: not engine._servers[0].is_healthy)
            with pytest.raises(Exception, match="cannot be reached"):
                await found(engine, "a")
        assert num_streams(second.received) == 0


def orders_priorities(upstream: ScriptedUpstream, *, is_lowest_first: bool) -> None:
    upstream.server_info["enable_priority_scheduling"] = True
    upstream.server_info["schedule_low_priority_values_first"] = is_lowest_first


async def test_a_server_that_comes_back_with_another_order_of_priorities_gets_nothing() -> None:
    """Its lowest would come last, where all others of the engine have them first."""
    reply = answers(sglang.answer([5], "length"))
    async with running_upstream(reply) as first, running_upstream(reply) as second:
        for upstream in (first, second):
            orders_priorities(upstream, is_lowest_first=False)
        async with started(config(first.url, second.url, api="sglang")) as engine:
            assert engine.capabilities.priority
            for is_lowest_first in (True, False):
                await second.stop()
                await until(lambda: not engine._servers[1].is_healthy)
                orders_priorities(second, is_lowest_first=is_lowest_first)
                await second.start()
                if is_lowest_first:
                    await until(lambda: engine._servers[1].refusal is not None)
                    assert "does not order priorities" in str(engine._servers[1].refusal)
                else:
                    await until(lambda: engine._servers[1].is_healthy)
                assert engine._servers[1].is_admitted == (not is_lowest_first)


async def test_a_setting_that_any_server_lacks_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    reply = answers(sglang.answer([5], "length"))
    async with (
        running_upstream(reply) as first,
        running_upstream(reply) as second,
        running_upstream(reply) as late,
    ):
        for upstream, name in (
            (second, "enable_deterministic_inference"),
            (late, "incremental_streaming_output"),
        ):
            upstream.server_info[name] = False
        await late.stop()
        said: list[str] = []
        async with started(config(first.url, second.url, late.url, api="sglang"), said) as engine:
            assert [line for line in said if "have no effect" in line]
            await late.start()
            await until(lambda: engine._servers[2].is_admitted)
    shown = [record.getMessage() for record in caplog.records]
    assert any(f"{late.url}: every event repeats all tokens" in line for line in shown)


async def test_a_key_that_no_header_can_have_is_reported() -> None:
    with pytest.raises(ModelNotSupported, match="not allowed in headers"):
        await RemoteEngine.start(config("http://127.0.0.1:1", api_key="a\nb"))


async def test_a_server_with_another_tokenizer_is_refused_with_both() -> None:
    async with running_upstream(computes()) as upstream:
        async with started(config(upstream.url)) as engine:
            tokenizer = engine.tokenizer
        upstream.tokenizes = lambda text: tokenizer.encode(text, add_special_tokens=False)
        async with started(config(upstream.url)):
            pass
        upstream.tokenizes = lambda text: [1, 2, 3]
        with pytest.raises(ModelNotSupported, match=r"it makes the tokens \[1, 2, 3\], and the files .* \["):
            await RemoteEngine.start(config(upstream.url))


async def test_a_late_server_without_room_joins_once_it_has_room() -> None:
    async with (
        running_upstream(computes()) as here,
        running_upstream(refuses(503)) as late,
        started(config(here.url, late.url)) as engine,
    ):
        assert not engine._servers[1].is_admitted
        await until(lambda: len(late.received) > 2)
        assert engine._servers[1].refusal is None
        late.replies = [computes()]
        await until(lambda: engine._servers[1].is_admitted)
