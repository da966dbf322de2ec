"""The engine over several servers of which some fail, leave or come late."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiohttp import web

from engine.port.errors import EngineBusy, InvalidRequest
from engine.port.events import FinishReason
from engine.port.info.model_info import ModelInfo
from engine.port.text.tokenizer import Tokenizer
from engine.remote.client.upstream import Upstream
from engine.remote.fleet import server as module
from engine.remote.remote_engine import RemoteEngine
from engine.remote.wire.vllm import VllmApi
from tests.support.clocks.until import until
from tests.support.scripted.token_server import (
    Body,
    Reply,
    ScriptedUpstream,
    drops,
    hangs,
    refuses,
    running_upstream,
    sends,
    tokens,
)
from tests.unit.engine.port.text.tiny_tokenizers import byte_level
from tests.unit.engine.remote.test_remote_engine import (
    TEXT,
    events,
    model_info,
    new_request,
    text_of,
    written,
)

NUM_STREAMS = 50


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_level()


@asynccontextmanager
async def over(
    tokenizer: Tokenizer, *replies: Reply, info: ModelInfo | None = None
) -> AsyncIterator[tuple[RemoteEngine, Sequence[ScriptedUpstream]]]:
    """Yield an engine over a scripted server for each reply."""
    async with AsyncExitStack() as stack:
        scripted = [await stack.enter_async_context(running_upstream(reply)) for reply in replies]
        upstreams = [Upstream(each.url, api_key=None, timeout_s=60) for each in scripted]
        engine = RemoteEngine(VllmApi(), upstreams, "m", tokenizer, info or model_info(tokenizer))
        stack.push_async_callback(engine.stop)
        yield engine, scripted


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("num_at_once", [1, 10])
async def test_a_server_that_refuses_everything_fails_no_request(
    tokenizer: Tokenizer, status: int, num_at_once: int
) -> None:
    """Its /health succeeds, and it always has the fewest tokens outstanding."""
    good = sends(tokens(*written(tokenizer)), pause_s=0.001)
    async with over(tokenizer, refuses(status), good) as (engine, (_, other)):
        for turn in range(40 // num_at_once):
            names = [f"{turn}-{number}" for number in range(num_at_once)]
            found = await asyncio.gather(*(events(engine, new_request(name)) for name in names))
            assert {text_of(each) for each in found} == {TEXT}
    assert len(other.received) == 40


async def test_requests_that_are_invalid_are_no_fault_of_a_server(tokenizer: Tokenizer) -> None:
    async with over(tokenizer, refuses(400), refuses(400)) as (engine, servers):
        for name in "abcdefgh":
            with pytest.raises(InvalidRequest):
                await events(engine, new_request(name))
        assert [len(each.received) for each in servers] == [4, 4], "by turns, as if nothing had happened"


async def test_two_dead_servers_of_ten_fail_no_request(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PERIOD_S", 600.0)  # else they get requests again, as their /health succeeds
    good = sends(tokens(*written(tokenizer)))
    async with over(tokenizer, drops(), good, drops(), *[good] * 7) as (engine, servers):
        for number in range(20):
            assert text_of(await events(engine, new_request(str(number)))) == TEXT
        # A request that is lost on the connection of a health check is sent once more on another.
        assert all(1 <= len(each.received) <= 2 for each in servers[:3:2])


async def test_servers_without_room_say_when_there_will_be(tokenizer: Tokenizer) -> None:
    full = refuses(503, headers={"Retry-After": "7"})
    async with over(tokenizer, full, full) as (engine, _):
        with pytest.raises(EngineBusy) as raised:
            await events(engine, new_request())
        assert raised.value.retry_after_s == 7


async def test_a_server_that_drains_ends_what_it_has_begun(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PERIOD_S", 0.001)
    may_end = asyncio.Event()
    first, *rest = tokens(*written(tokenizer))

    async def waits(request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(first)
        await may_end.wait()
        for piece in rest:
            await response.write(piece)
        return response

    async with over(tokenizer, waits, sends(tokens(*written(tokenizer)))) as (engine, (leaving, other)):
        running = engine.submit(new_request("running"))
        found = [await anext(running)]
        assert len(leaving.received) == 1
        leaving.is_healthy = False
        await until(lambda: not engine._servers[0].is_healthy)
        for number in range(8):
            assert text_of(await events(engine, new_request(str(number)))) == TEXT
        assert (len(leaving.received), len(other.received)) == (1, 8)
        may_end.set()
        found += [each async for each in running]
    assert text_of(found) == TEXT and found[-1].finish is FinishReason.END_TOKEN


async def test_servers_of_another_model_are_counted_by_the_health(tokenizer: Tokenizer) -> None:
    async with over(tokenizer, hangs(), hangs()) as (engine, _):
        for task in engine._watching:
            task.cancel()
        assert (await engine.health()).reason is None
        engine._servers[0].refuse("a serves another model")
        health = await engine.health()
        assert (health.is_healthy, health.reason) == (True, "1 of 2 servers do not serve the model")
        engine._servers[1].refuse("and so does b")
        health = await engine.health()
        assert (health.is_healthy, health.is_alive) == (False, True)
        assert health.reason == "no server of the engine is healthy; 2 of 2 servers do not serve the model"
