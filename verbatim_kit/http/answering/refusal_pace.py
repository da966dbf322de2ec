"""The rate at which clients that were refused with `Retry-After` may send further requests."""

import asyncio
from typing import Final, Protocol

_SPAN_S: Final = 0.05  # between two looks at those who wait: what is let on together is refused together
_MAX_IN_SPAN: Final = 10  # refusals; so they take a twentieth of a processor
_MAX_WAIT_S: Final = 1.0  # for one connection, however many wait


class Held(Protocol):
    """A connection that is new, or whose last answer has `Retry-After`."""

    def go_on(self) -> None:
        """Read the next request."""


class RefusalPace:
    """The limit that keeps clients which ignore refusals from taking the engine's time.

    The event loop and the engine's thread share one interpreter, and a loop that is busy with refusals hardly
    lets go of it: 64 clients that asked again at once slowed generation to a twelfth. So once 200 requests a
    second have been refused, the server reads the next request of a refused connection only when its turn
    comes, after a second at most. A client that waits as long as `Retry-After` says does not notice.

    Clients that open a connection for each try are held in the same way: while as many are refused, a new
    connection is read when its turn comes, before those that were refused, or when an answer has made room.
    """

    def __init__(self) -> None:
        # Since when, in loop time; the longest comes first.
        self._new: dict[Held, float] = {}
        self._waiting: dict[Held, float] = {}
        self._num_left = 0  # refusals in this span after which connections go on at once
        self._span_began = float("-inf")
        self._has_timer = False

    def may_begin(self, connection: Held) -> bool:
        """Return whether a new connection may be read at once; if not, its `go_on` will be called."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if not self._new:
            if now - self._span_began >= _SPAN_S:
                return True
            if self._num_left:
                self._num_left -= 1
                return True
        self._new[connection] = now
        self._start_timer(loop)
        return False

    def may_go_on(self, connection: Held) -> bool:
        """Return whether the connection may go on at once; if not, its `go_on` will be called."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if not self._waiting:
            if now - self._span_began >= _SPAN_S:
                self._begin_span(now)
            if self._num_left:
                self._num_left -= 1
                return True
        self._waiting[connection] = now
        self._start_timer(loop)
        return False

    def note_served(self) -> None:
        """Let on the new connection that has waited longest, since an answer has made room."""
        if (connection := next(iter(self._new), None)) is not None:
            del self._new[connection]
            connection.go_on()

    def forget(self, connection: Held) -> None:
        """Do not call `go_on` any more; nothing happens if the connection does not wait."""
        self._new.pop(connection, None)
        self._waiting.pop(connection, None)

    def _begin_span(self, now: float) -> None:
        self._span_began = now
        self._num_left = _MAX_IN_SPAN

    def _start_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._has_timer:
            self._has_timer = True
            loop.call_later(_SPAN_S, self._let_on)

    def _let_on(self) -> None:
        self._has_timer = False
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._begin_span(now)
        for held in (self._new, self._waiting):
            for connection, since in list(held.items()):
                if self._num_left:
                    self._num_left -= 1
                elif now - since < _MAX_WAIT_S:
                    break
                del held[connection]
                connection.go_on()
        if self._new or self._waiting:
            self._start_timer(loop)
