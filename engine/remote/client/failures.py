"""The errors of requests to a server; no torch."""

import errno
import socket
from typing import Final

from aiohttp import ClientConnectorDNSError

from engine.port.errors import GenerationFailed

# The statuses with which servers, and proxies in front of them, refuse requests while they are overloaded or
# starting.
BUSY: Final = frozenset({429, 502, 503, 504})


class NoAnswer(Exception):
    """The server refused the connection, or closed it before it responded."""


class CutOff(Exception):
    """The response is incomplete, too long, or timed out, as the message says."""


class BadStatus(Exception):
    """The server responded with an error status.

    body: the body; empty if it could not be read. retry_after: the value of the header Retry-After.
    """

    def __init__(self, status: int, body: bytes, retry_after: str = "") -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.body = body
        self.retry_after = retry_after


class ServerFailed(GenerationFailed):
    """The server failed before the first token because of an internal error; another server may succeed."""


_OWN_ERRORS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL})
_OWN_LOOKUPS: Final = frozenset({socket.EAI_SYSTEM, socket.EAI_MEMORY})


def is_own(error: NoAnswer) -> bool:
    """Return whether the cause is in this process (no file descriptor, memory or port), not in the server."""
    cause = error.__cause__
    if isinstance(cause, ClientConnectorDNSError):
        return cause.errno in _OWN_LOOKUPS
    return isinstance(cause, OSError) and cause.errno in _OWN_ERRORS
