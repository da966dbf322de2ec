"""Over real HTTP: a client that does not read costs bounded memory, and others nothing."""

import asyncio
import socket
import time
from collections.abc import AsyncGenerator
from statistics import median

from tests.unit.verbatim_kit.runtime.answering.test_disconnect import running
from tests.unit.verbatim_kit.runtime.notes import Kept, Note, serve
from verbatim_kit.runtime.operation import EncodedEvent

EVENT = EncodedEvent(b'{"id":1,"text":"%b"}' % (b"a" * 1000))
MAX_BYTES = 16 * 2**20  # what the kernel may buffer for a connection, and more


def post(body: bytes) -> bytes:
    head = b"POST /notes HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n"
    return head + b"content-length: %d\r\n\r\n" % len(body) + body


class Endless:
    """A stream without an end, which counts the events that were taken."""

    def __init__(self) -> None:
        self.num_taken = 0
        self.began = asyncio.Event()
        self.ended = asyncio.Event()

    async def events(self) -> AsyncGenerator[EncodedEvent, None]:
        try:
            while True:
                self.num_taken += 1
                self.began.set()
                yield EVENT
                if self.num_taken % 7 == 0:
                    await asyncio.sleep(0)
        finally:
            self.ended.set()

    async def stands(self, port: int) -> None:
        """Wait until no event is taken while another client is answered.

        That takes several rounds of the event loop, in each of which a stream that may go on takes some.
        """
        before = -1
        while before != self.num_taken:
            before = self.num_taken
            await whole_answer_s(port)


async def whole_answer_s(port: int) -> float:
    started = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(post(b'{"text":"b"}'))
    status = await reader.readline()
    assert status.split()[1] == b"200", status
    writer.close()
    return time.perf_counter() - started


async def test_a_client_that_does_not_read_holds_back_its_own_stream_alone() -> None:
    stream = Endless()

    async def write(body: Note, call: object) -> Kept:
        return Kept(id=1, text=body.text)

    def answer(body: Note, call: object) -> object:
        return stream.events() if body.stream else write(body, call)

    async with running(serve(write=answer), "httptools") as port:
        silent = socket.create_connection(("127.0.0.1", port))
        silent.sendall(post(b'{"text":"a","stream":true}'))
        async with asyncio.timeout(20):
            await stream.began.wait()
            await stream.stands(port)
            assert stream.num_taken * len(EVENT) < MAX_BYTES
            # A busy machine may delay some; a stream that is not held back would delay all.
            assert median([await whole_answer_s(port) for _ in range(5)]) < 1
            silent.close()
            await stream.ended.wait()
