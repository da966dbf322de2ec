"""The client that has closed its own side of a connection while its request is being served.

It has left, or reads on: `nc -N`, `socat` and some proxies close their side once they have sent a request.
Both look the same, and most servers take both for a client that has left: uvicorn, Node, hyper, nginx as a
proxy. Go's net/http cancels the request's context too, but sends what the handler writes nevertheless.

Here the two are told apart as TCP does it: to bytes that nobody reads any more, the client's system answers
with a reset. So bytes with which the answer goes on in any case are sent ahead of it, one at a time, until
there is a reset or an answer.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from verbatim_kit.http.answering.held_head import send_ahead

_FIRST_LOOK_S: Final = 0.01  # in which most answers of no tokens are there
_MOST_S: Final = 1.0  # between two looks
_MOST_AHEAD: Final = 9  # bytes, since some clients read no longer size of a chunk than 16 digits


class HalfClose:
    """The watch for a client that has closed its side, until it has left or has all of its answers."""

    def __init__(
        self,
        transport: asyncio.Transport,
        serving: Callable[[], RequestResponseCycle | None],
        leave: Callable[[], object],
    ) -> None:
        """Begin to watch. Requires a running event loop.

        serving: returns the answer that is next on the wire. leave: is called once, when the client has left.
        """
        self._transport = transport
        self._serving = serving
        self._leave = leave
        self._pause_s = _FIRST_LOOK_S
        self._num_ahead = 0
        self._probed: RequestResponseCycle | None = None
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(self._pause_s, self._look)

    def end(self) -> None:
        """Watch no more."""
        self._timer.cancel()

    def _look(self) -> None:
        if self._transport.is_closing():
            return
        if _is_reset(self._transport):
            self._leave()
            return
        cycle = self._serving()
        if cycle is not self._probed:  # each answer has a beginning of its own
            self._probed, self._num_ahead = cycle, 0
        if cycle is not None and self._num_ahead < _MOST_AHEAD:
            self._num_ahead += 1
            send_ahead(cycle)
        self._pause_s = min(2 * self._pause_s, _MOST_S)
        self._timer = self._loop.call_later(self._pause_s, self._look)


def _is_reset(transport: asyncio.Transport) -> bool:
    """Return whether the client's system has reported that nobody reads any more. A connection that has been
    read to its end would raise no error before its second write after that.
    """
    connection = transport.get_extra_info("socket")
    return connection is not None and connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
