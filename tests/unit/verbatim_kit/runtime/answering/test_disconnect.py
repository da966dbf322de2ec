"""Over real HTTP: a client that goes away ends the work done for it, at once."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import Message

from tests.support.servers.running_app import listening
from tests.unit.verbatim_kit.runtime.notes import Kept, serve
from verbatim_kit.runtime.answering.disconnect import CancelledByDisconnect, DisconnectWatcher
from verbatim_kit.runtime.runtime_options import RuntimeOptions
from verbatim_kit.runtime.server import ContractServer

HEAD = b"POST /notes HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n"


def running(app: ContractServer, http: str) -> AbstractAsyncContextManager[int]:
    """Serve the application, and yield the port."""
    return listening(uvicorn.Config(app, port=0, log_level="critical", lifespan="off", http=http))


async def request(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"text": "a"}).encode()
    writer.write(HEAD + b"content-length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()
    return reader, writer


class Trace:
    """When the handler began, and how many seconds after its client left it ended."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.cancelled = asyncio.Event()

    @asynccontextmanager
    async def work(self) -> AsyncGenerator[None, None]:
        self.began.set()
        try:
            yield
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


def test_one_who_has_gone_is_found_in_whatever_loop_runs() -> None:
    watcher = DisconnectWatcher()

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def enter(seconds: float) -> None:
        with CancelledByDisconnect(gone, watcher):
            await asyncio.sleep(seconds)

    asyncio.run(enter(0.0))  # its loop ends before its timer does
    with pytest.raises(ClientDisconnect):
        asyncio.run(enter(10.0))


@pytest.mark.parametrize("http", ["h11", "httptools"])
async def test_a_client_that_leaves_cancels_a_handler_that_still_works(
    http: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace, watched = Trace(), asyncio.Event()
    begin_watching = CancelledByDisconnect.begin_watching

    def begin(block: CancelledByDisconnect) -> None:
        begin_watching(block)
        watched.set()

    monkeypatch.setattr(CancelledByDisconnect, "begin_watching", begin)

    async def write(body: object, call: object) -> Kept:
        async with trace.work():
            await asyncio.sleep(60)
        return Kept(id=1, text="never")

    async with running(serve(write=write), http) as port:
        _, writer = await request(port)
        await trace.began.wait()
        await watched.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not trace.cancelled.is_set(), "a client that waits is not one that left"
        await leaves(writer, trace)


@pytest.mark.parametrize("http", ["h11", "httptools"])
@pytest.mark.parametrize(
    ("num_events", "keep_alive_s", "read"),
    [
        pytest.param(0, 60, b"", id="before the status"),
        pytest.param(0, 0.01, b"\n:\n\n", id="before the first event"),
        pytest.param(1, 60, b'"text":"a"}', id="after an event"),
    ],
)
async def test_a_client_that_leaves_closes_the_stream(
    http: str, num_events: int, keep_alive_s: float, read: bytes
) -> None:
    trace = Trace()

    async def stream() -> AsyncGenerator[Any, None]:
        async with trace.work():
            for index in range(num_events):
                yield Kept(id=index, text="a")
            await asyncio.sleep(60)

    options = RuntimeOptions(keep_alive_s=keep_alive_s)
    async with running(serve(options=options, write=lambda body, call: stream()), http) as port:
        reader, writer = await request(port)
        await trace.began.wait()
        if read:
            await reader.readuntil(read)
        await leaves(writer, trace)


async def leaves(writer: asyncio.StreamWriter, trace: Trace) -> None:
    """Close the connection, and wait until the handler sees it: at once, but on a busy machine."""
    writer.close()
    await asyncio.wait_for(trace.cancelled.wait(), timeout=5)


@pytest.mark.parametrize("http", ["h11", "httptools"])
async def test_one_connection_carries_many_requests(http: str) -> None:
    """The watch for the client's departure takes nothing from the request that follows."""

    async def write(body: object, call: object) -> Kept:
        await asyncio.sleep(0.001)
        return Kept(id=1, text="a")

    async with running(serve(write=write), http) as port:
        reader, writer = await request(port)
        assert b'"text":"a"}' in await reader.readuntil(b'"text":"a"}')
        for _ in range(20):
            writer.write(HEAD + b'content-length: 17\r\n\r\n{"text": "again"}')
            assert b" 200 OK" in await reader.readuntil(b'"text":"a"}')
        writer.close()
