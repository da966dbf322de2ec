"""The ways in which a server fails to answer; no torch."""

from typing import Final

# Servers, and proxies before them, answer these until there is room for a request again, or until they have
# started.
BUSY: Final = frozenset({429, 502, 503, 504})


class NoAnswer(Exception):
    """The server refused the connection, or closed it before it answered."""


class CutOff(Exception):
    """The answer broke off, is too long, or nothing came for too long; the message says which."""


class BadStatus(Exception):
    """The server answered with an error. body: as far as it can be read."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.body = body
