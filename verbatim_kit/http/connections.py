"""The open connections of a server, with bounds on their number and on the time that each may take."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from verbatim_kit.http.answering.refusal_pace import RefusalPace
from verbatim_kit.http.descriptors import default_max_connections
from verbatim_kit.http.limits import HttpLimits


class Connection(Protocol):
    """The interface of a connection for its registry."""

    def check(self, now: float) -> None:
        """Close the connection if a time limit is over. now: seconds of any clock."""

    def abort(self) -> None:
        """Close the connection at once, without sending what is buffered."""


class Connections:
    """The open connections of one event loop, checked by a single timer: a timer for each would cost a
    twentieth of a chat.

    A connection is `free` while no request of it is being served. Invariant: every free connection is open.
    """

    def __init__(self, limits: HttpLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._clock = clock  # in seconds
        self.refusal_pace = RefusalPace()
        self._open: dict[Connection, None] = {}
        self._free: dict[Connection, None] = {}  # the one that is free for longest comes first
        self._max_open = limits.max_connections  # None until the first connection
        self._loop: asyncio.AbstractEventLoop | None = None  # where the timer runs

    @property
    def num_open(self) -> int:
        return len(self._open)

    def set_limit(self, num_own: int) -> int:
        """Return the limit of connections, which the first call finds if none was set.

        By then the server has opened the files and sockets that it has all the time, and no connection yet,
        or one. num_own: as of `default_max_connections`.
        """
        if self._max_open is None:
            self._max_open = default_max_connections(num_own)
        return self._max_open

    def add(self, connection: Connection, num_own: int = 0) -> bool:
        """Register a new connection, which is free.

        num_own: as of `set_limit`.
        At the limit, the connection that has been free for longest is aborted. Returns False, and registers
        nothing, where all others are being served.
        """
        if len(self._open) >= self.set_limit(num_own) and not self._abort_longest_free():
            return False
        self._open[connection] = None
        self._free[connection] = None
        self._start_timer()
        return True

    def remove(self, connection: Connection) -> None:
        """Forget a connection that is lost."""
        self._open.pop(connection, None)
        self._free.pop(connection, None)

    def set_served(self, connection: Connection) -> None:
        """Note that a request of this connection is being served."""
        self._free.pop(connection, None)

    def set_free(self, connection: Connection) -> None:
        """Note that no request of this connection is being served any more."""
        if connection in self._open:
            self._free[connection] = None

    def check(self) -> None:
        """Close the connections whose client has taken too long."""
        now = self._clock()
        for connection in list(self._open):
            connection.check(now)

    def _abort_longest_free(self) -> bool:
        connection = next(iter(self._free), None)
        if connection is None:
            return False
        self.remove(connection)  # not when its loss is reported: more connections may come before that
        connection.abort()
        return True

    def _start_timer(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop = loop
            loop.call_later(self.limits.sweep_interval_s, self._sweep)

    def _sweep(self) -> None:
        try:
            self.check()
        finally:  # a fault of one connection does not end the limits of all others
            self._loop = None
            if self._open:
                self._start_timer()
