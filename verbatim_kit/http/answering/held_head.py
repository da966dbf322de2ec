"""The head of an answer, which goes out in one write with the first bytes of its body, and seldom begins
before it is known.
"""

import asyncio
from typing import Final

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_BEGIN: Final = b"HTTP/1.1 "  # of every head


class HeldHead:
    """The transport of an answer until its head is written; then the connection's own takes its place.

    Uvicorn writes head and body one after the other, each with a call of the system, and the client wakes for
    each. What is written first waits here for what follows it at once, and no longer than until the event
    loop comes round.
    """

    def __init__(self, cycle: RequestResponseCycle) -> None:
        """Hold nothing yet. cycle: uvicorn's answer to one request. Requires a running event loop."""
        self._cycle: Final = cycle
        self._transport: Final = cycle.transport
        self._head: bytes | None = None
        self._num_ahead = 0  # bytes of the head that have been sent

    def send_ahead(self) -> None:
        """Send the next byte with which every head begins; nothing once those are sent."""
        if self._head is None and self._num_ahead < len(_BEGIN):
            self._transport.write(_BEGIN[self._num_ahead : self._num_ahead + 1])
            self._num_ahead += 1

    def write(self, data: bytes) -> None:
        if self._head is None:
            self._head = data[self._num_ahead :]
            asyncio.get_running_loop().call_soon(self.flush)
        else:
            head = self._release()
            self._transport.writelines((head, data))

    def flush(self) -> None:
        """Write what is held, if anything is."""
        if self._head is not None:
            head = self._release()
            if not self._transport.is_closing():
                self._transport.write(head)

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def _release(self) -> bytes:
        """Return the head, and give the answer the connection's own transport."""
        assert self._head is not None
        head, self._head = self._head, None
        self._cycle.transport = self._transport
        return head


class _Closed(asyncio.Transport):
    """The transport of an answer that goes nowhere. Its connection may have sent a refusal, and nothing may
    follow that, but uvicorn writes 100 (Continue) whenever an application begins to read a body.
    """

    @override
    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    @override
    def is_closing(self) -> bool:
        return True

    @override
    def close(self) -> None:
        pass


def closed_transport() -> asyncio.Transport:
    """Return the transport for an answer whose client has left, or has had a refusal instead."""
    return _Closed()


def hold_head(cycle: RequestResponseCycle) -> None:
    """Let the answer's head wait for what is written with it."""
    cycle.transport = HeldHead(cycle)  # type: ignore[assignment] # it has the methods that an answer calls


def send_ahead(cycle: RequestResponseCycle) -> None:
    """Send a byte of an answer before its time; nothing where it is not known how the answer goes on.

    A chunk's size may begin with zeros (RFC 9112, section 7.1), and uvicorn writes a chunk in one piece.
    """
    if isinstance(cycle.transport, HeldHead):
        cycle.transport.send_ahead()
    elif not cycle.response_started:  # it has sent 100 (Continue), and with that its transport
        hold_head(cycle)
        send_ahead(cycle)
    elif cycle.chunked_encoding and cycle.scope["method"] != "HEAD":
        cycle.transport.write(b"0")


def flush_head(cycle: RequestResponseCycle) -> None:
    """Write the head of an answer that ends without a body, before anything else is written."""
    if isinstance(cycle.transport, HeldHead):
        cycle.transport.flush()
