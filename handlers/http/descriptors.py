"""The number of connections that the process has file descriptors for."""

import os
import sys
from typing import Final

_MOST: Final = 10_000  # an idle connection takes some 10 KB
_RESERVE: Final = 16  # for files, pipes and sockets that the server opens while it serves


def default_max_connections() -> int:
    """Return as many as the descriptor limit leaves after those open now and a reserve, at most 10,000."""
    limit = _descriptor_limit()
    return _MOST if limit is None else max(1, min(_MOST, limit - _num_open() - _RESERVE))


def _descriptor_limit() -> int | None:
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
