"""The ways in which a server fails to answer; no torch."""

import errno
import socket
from typing import Final

from engine.errors import GenerationFailed

# This process, or its machine, has no more files, memory or ports.
_OUR_OWN: Final = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.EADDRNOTAVAIL, socket.EAI_SYSTEM}
)


class NoAnswer(Exception):
    """The server refused the connection, or closed it before it answered."""

    @property
    def is_our_own(self) -> bool:
        """Return whether it says nothing about the server, since no connection could be made from here."""
        return isinstance(self.__cause__, OSError) and self.__cause__.errno in _OUR_OWN


class CutOff(Exception):
    """The answer broke off, is too long, or nothing came for too long; the message says which."""


class BadStatus(Exception):
    """The server answered with an error. body: as far as it can be read. retry_after: that header's value."""

    def __init__(self, status: int, body: bytes, retry_after: str = "") -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.body = body
        self.retry_after = retry_after


class ServerFailed(GenerationFailed):
    """The server failed before the first token, by a fault of its own: another server may compute it."""
