"""The times that a client takes to send its part of an exchange, and to read an answer."""

from enum import Enum, auto
from typing import Final

from verbatim_kit.http.limits import HttpLimits

_LINGER_S: Final = 2.0  # for a client to read an answer that closes the connection


class Awaited(Enum):
    """The part of the exchange that the server awaits from the client."""

    FIRST_REQUEST = auto()  # the connection is new
    REQUEST = auto()  # a further one
    HEAD = auto()  # the rest of the request line and the headers
    BODY = auto()  # the rest of the body
    CLOSE = auto()  # after the last answer
    NOTHING = auto()  # the request is complete and being served


# Each request reads these, and an enumeration's attributes take long to find.
REQUEST: Final = Awaited.REQUEST
HEAD: Final = Awaited.HEAD
BODY: Final = Awaited.BODY
CLOSE: Final = Awaited.CLOSE
NOTHING: Final = Awaited.NOTHING


class ClientTimes:
    """The times of one client, compared with the limits whenever `Connections` checks them.

    No clock is read here, so a wait begins at the first check after its event. now: seconds of any clock.
    """

    def __init__(self, limits: HttpLimits) -> None:
        self.awaited = Awaited.FIRST_REQUEST
        self.num_body = 0  # bytes of content in this wait
        self._limits = limits
        self._since: float | None = None  # None until the next check
        self._num_unsent = 0  # bytes that the client has not read
        self._stalled_since: float | None = None  # when it read the last

    def wait_for(self, part: Awaited) -> None:
        """Begin to wait for a part of the exchange."""
        self.awaited = part
        self._since = None

    def restart(self) -> None:
        """Have the present wait begin at the next check."""
        self._since = None

    def is_over(self, now: float) -> bool:
        """Return whether the present wait has lasted too long."""
        if self.awaited is NOTHING:
            return False
        if self._since is None:
            self._begin(now)
            return False
        return now - self._since >= self._time_limit()

    def goes_on(self, now: float) -> bool:
        """Return whether enough of a body came during a wait that is over; if so, begin another one."""
        if self.num_body < self._limits.min_body_rate * self._limits.body_timeout:
            return False
        self._begin(now)
        return True

    def _time_limit(self) -> float:
        limits = self._limits
        return {
            Awaited.FIRST_REQUEST: limits.header_timeout,
            Awaited.REQUEST: limits.keep_alive_timeout,
            Awaited.HEAD: limits.header_timeout,
            Awaited.BODY: limits.body_timeout,
            Awaited.CLOSE: _LINGER_S,
        }[self.awaited]

    def _begin(self, now: float) -> None:
        self._since = now
        self.num_body = 0

    def is_stalled(self, now: float, num_unsent: int) -> bool:
        """Return whether the client has for too long read none of the bytes that are sent to it.

        num_unsent: the bytes that wait for the client; 0 if the server need not wait for it.
        """
        if num_unsent == 0:
            self._stalled_since = None
            return False
        if self._stalled_since is None or num_unsent < self._num_unsent:
            self._stalled_since = now
        self._num_unsent = num_unsent
        return now - self._stalled_since >= self._limits.client_timeout

    def end_stall(self) -> None:
        """Note that the client has read something."""
        self._stalled_since = None
