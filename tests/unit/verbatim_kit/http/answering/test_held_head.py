"""The head of an answer goes out with the first bytes of its body, and waits for nothing else."""

import asyncio
from collections.abc import Iterable
from typing import cast

import pytest
from starlette.types import Receive, Scope, Send
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from tests.unit.verbatim_kit.http.echo import answer, serving
from verbatim_kit.http.answering.held_head import flush_head, hold_head

HEAD, BODY = b"HTTP/1.1 200 OK\r\n\r\n", b"body"


class Written(asyncio.Transport):
    """A transport that keeps what each call writes."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[bytes] = []
        self.is_closed = False

    @override
    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.writes.append(bytes(data))

    @override
    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.writes.append(b"".join(list_of_data))

    @override
    def is_closing(self) -> bool:
        return self.is_closed

    @override
    def close(self) -> None:
        self.is_closed = True


class Cycle:
    """The part of uvicorn's answers that has a transport."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport = Written()


@pytest.fixture
def transport() -> Written:
    return Written()


@pytest.fixture
async def cycle(transport: Written) -> RequestResponseCycle:
    made = cast(RequestResponseCycle, Cycle())
    made.transport = transport
    hold_head(made)
    return made


async def test_head_and_body_are_one_write(transport: Written, cycle: RequestResponseCycle) -> None:
    cycle.transport.write(HEAD)
    assert transport.writes == []
    cycle.transport.write(BODY)
    assert transport.writes == [HEAD + BODY]
    assert cycle.transport is transport  # so that events cost no more than without a held head
    await asyncio.sleep(0)
    assert transport.writes == [HEAD + BODY]


async def test_a_head_without_a_body_waits_for_one_turn_of_the_loop(
    transport: Written, cycle: RequestResponseCycle
) -> None:
    cycle.transport.write(HEAD)
    await asyncio.sleep(0)
    assert transport.writes == [HEAD]
    cycle.transport.write(BODY)
    assert transport.writes == [HEAD, BODY]


async def test_an_answer_that_ends_or_closes_writes_its_head_first(
    transport: Written, cycle: RequestResponseCycle
) -> None:
    cycle.transport.write(HEAD)
    cycle.transport.close()
    assert transport.writes == [HEAD] and transport.is_closed
    flush_head(cycle)
    assert transport.writes == [HEAD]


async def test_nothing_is_written_to_a_connection_that_is_lost(
    transport: Written, cycle: RequestResponseCycle
) -> None:
    cycle.transport.write(HEAD)
    assert not cycle.transport.is_closing()
    transport.close()
    assert cycle.transport.is_closing()
    await asyncio.sleep(0)
    assert transport.writes == []


async def test_the_head_of_an_answer_without_a_body_comes_before_a_refusal() -> None:
    async def empty(scope: Scope, receive: Receive, send: Send) -> None:
        await answer(send, b"")

    async with serving(empty) as server, server.connect() as client:
        client.write(b"HEAD / HTTP/1.1\r\nHost: test\r\n\r\nnonsense\r\n\r\n")
        assert [(await client.read_answer()).status for _ in range(2)] == [200, 400]


async def test_a_client_gets_the_head_while_the_body_is_awaited() -> None:
    may_go_on = asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await may_go_on.wait()
        await send({"type": "http.response.body", "body": BODY})

    async with serving(slow) as server, server.connect() as client:
        client.write(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n")
        async with asyncio.timeout(5.0):
            assert (await client.read_answer()).status == 200
        may_go_on.set()
        assert BODY in await client.read_exactly(len(b"4\r\nbody\r\n"))
