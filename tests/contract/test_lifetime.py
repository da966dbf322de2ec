"""Requests of every contract end in order when their client goes, and when the server is asked to stop."""

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest

from handlers.composition import TABLES
from tests.conftest import Server, running_server
from tests.contract.requests.paths import is_of
from tests.support.clocks.until import until
from tests.support.samples.contracts import LongRequest, samples_of
from tests.support.selection.effort import IS_WHOLE
from tests.support.token_servers.served_engines import ENGINES, OWN, Served


def name_of(value: str | LongRequest) -> str:
    if isinstance(value, str):
        return value
    return value.path + (" whole" if value.is_finished is None else " stream")


ALL = [(contract, request) for contract in TABLES for request in samples_of(contract).long_requests]
# The grace period below is over a server too.
OVER_SERVERS = [pytest.param(engine, marks=pytest.mark.long) for engine in ENGINES if engine != OWN]
STREAMS = [(contract, request) for contract, request in ALL if request.is_finished is not None]


def metric(url: str, name: str) -> float:
    """A sample of the server's own metrics; 0 where it has not been counted yet."""
    lines = httpx.get(f"{url}/tgi/metrics").text.splitlines()
    return next((float(line.split()[-1]) for line in lines if line.startswith(name + " ")), 0.0)


def test_every_contract_has_a_long_stream_and_a_long_whole_answer() -> None:
    for contract in TABLES:
        kinds = {request.is_finished is None for request in samples_of(contract).long_requests}
        has_streams = any(operation.event is not None for operation in TABLES[contract])
        assert kinds == ({True, False} if has_streams else {True}), contract


@pytest.mark.parametrize(("contract", "request_"), ALL, ids=name_of)
async def test_a_client_that_goes_frees_its_sequence_and_its_cache_at_once(
    served: Served, contract: str, request_: LongRequest
) -> None:
    dropped = metric(served.url, 'tgi_request_failure{err="dropped"}')
    async with httpx.AsyncClient(base_url=served.url, timeout=60) as client:
        asking = await running_request(client, contract, request_)
        asking.cancel()
    await until(lambda: metric(served.url, 'tgi_request_failure{err="dropped"}') == dropped + 1)
    for url in (served.url, served.computing_url):
        await until(lambda: metric(url, "tgi_batch_current_size") == 0, timeout_s=5)  # noqa: B023


async def running_request(
    client: httpx.AsyncClient, contract: str, request: LongRequest
) -> "asyncio.Task[httpx.Response]":
    """Send a request and return once its sequence runs. One that ended before it was seen is sent again."""
    for _ in range(10):
        path, headers = f"/{contract}{request.path}", samples_of(contract).headers
        asking = asyncio.create_task(client.post(path, json=request.body, headers=headers))
        while not asking.done():
            if metric(str(client.base_url), "tgi_batch_current_size") > 0:
                return asking
            await asyncio.sleep(0.02)
        assert asking.result().status_code == 200, asking.result().text
    raise AssertionError("all tries ended before they were seen to run")


@pytest.mark.parametrize("served", [OWN, *OVER_SERVERS], indirect=True)
async def test_a_server_told_to_stop_finishes_what_runs_and_takes_no_more(served: Served) -> None:
    with running_server(*served.options) as server:
        for (contract, request), last in await last_events(server, signal.SIGTERM):
            assert request.is_finished is not None
            assert request.is_finished(last), (contract, last)
        assert server.process.wait(timeout=60) == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{server.url}/tgi/health")


# The other signal is the one of the test above.
@pytest.mark.long
@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM] if IS_WHOLE else [signal.SIGINT])
async def test_after_the_grace_period_a_stream_ends_with_an_error_and_the_server_in_peace(
    served: Served, asked: signal.Signals, tmp_path: Path
) -> None:
    options = (*served.options, "--graceful-termination-timeout", "0")
    log = tmp_path / "log"
    with log.open("w") as file, running_server(*options, log=file) as server:
        for (contract, request), last in await last_events(server, asked):
            assert request.is_unavailable is not None
            assert request.is_unavailable(last), (contract, last)
        assert server.process.wait(timeout=60) == 0
    assert "Traceback" not in log.read_text()


async def last_events(server: Server, asked: signal.Signals) -> list[tuple[tuple[str, LongRequest], Any]]:
    """Return the last events of all contracts' streams, which run at once when the server gets the signal.

    Grammars are compiled beforehand, else streams without one could end before the others begin.
    """
    began = [asyncio.Event() for _ in STREAMS]
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client, asyncio.TaskGroup() as group:
        for contract, request in STREAMS:
            if request.has_grammar:
                await begin_and_leave(client, contract, request)
        tasks = [
            group.create_task(last_event(client, contract, request, event))
            for (contract, request), event in zip(STREAMS, began, strict=True)
        ]
        await asyncio.gather(*(event.wait() for event in began))
        server.process.send_signal(asked)
    return [(stream, task.result()) for stream, task in zip(STREAMS, tasks, strict=True)]


async def begin_and_leave(client: httpx.AsyncClient, contract: str, request: LongRequest) -> None:
    path, headers = f"/{contract}{request.path}", samples_of(contract).headers
    async with client.stream("POST", path, json=request.body, headers=headers) as answer:
        await anext(line async for line in answer.aiter_lines() if line.startswith("data: "))


async def last_event(
    client: httpx.AsyncClient, contract: str, request: LongRequest, began: asyncio.Event
) -> Any:
    """The one before the terminator, if the operation has one."""
    operation = next(one for one in TABLES[contract] if is_of(one, "POST", request.path))
    events = []
    path, headers = f"/{contract}{request.path}", samples_of(contract).headers
    async with client.stream("POST", path, json=request.body, headers=headers) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                events.append(line.removeprefix("data: "))
                began.set()
    if operation.terminator is not None:
        assert events.pop() == operation.terminator
    return json.loads(events[-1])
