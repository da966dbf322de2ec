"""The number of connections that the process has file descriptors for."""

import os
import sys
from typing import Final

_MOST: Final = 10_000  # an idle connection takes some 10 KB
_RESERVE: Final = 16  # for files, pipes and sockets that the server opens while it serves


OWN_CONNECTIONS: Final = "verbatim.own_connections"
"""The key in a lifespan's state (ASGI) of how many connections the application may open itself."""


def default_max_connections(num_own: int) -> int:
    """Return as many as the descriptor limit leaves after those open now and a reserve, at most 10,000.

    num_own: connections that the application may open itself to answer those of clients; where there is not
    room for as many, they share the rest half and half.
    """
    if (limit := descriptor_limit()) is None:
        return _MOST
    left = limit - _num_open() - _RESERVE
    return max(1, min(_MOST, max(left - num_own, left // 2)))


def descriptor_limit() -> int | None:
    """Return how many descriptors the process may have; None for any number."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if limit == resource.RLIM_INFINITY else limit


def _num_open() -> int:
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:  # not mounted
        return 32
