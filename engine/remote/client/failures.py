"""The ways in which a server fails to answer; no torch."""

import errno
import socket
from typing import Final

from engine.port.errors import GenerationFailed

# Servers, and proxies before them, answer these until there is room for a request again, or until they have
# started.
BUSY: Final = frozenset({429, 502, 503, 504})


class NoAnswer(Exception):
    """The server refused the connection, or closed it before it answered."""


class CutOff(Exception):
    """The answer broke off, is too long, or nothing came for too long; the message says which."""


class BadStatus(Exception):
    """The server answered with an error.

    body: the answer's body, as far as it can be read. retry_after: the value of the header Retry-After.
    """

    def __init__(self, status: int, body: bytes, retry_after: str = "") -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.body = body
        self.retry_after = retry_after


class ServerFailed(GenerationFailed):
    """The server failed before the first token, by a fault of its own: another server may compute it."""


_OWN_ERRORS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL})
_OWN_LOOKUPS: Final = frozenset({socket.EAI_SYSTEM, socket.EAI_MEMORY})


def is_own(error: NoAnswer) -> bool:
    """Return whether this process lacks a descriptor, memory or a port, which says nothing of the server."""
    cause = error.__cause__
    if isinstance(cause, socket.gaierror):
        return cause.errno in _OWN_LOOKUPS
    return isinstance(cause, OSError) and cause.errno in _OWN_ERRORS
