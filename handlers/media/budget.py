"""The bytes that the parts of one request may have together."""

from threading import Lock


class CannotRead(Exception):
    """A part that cannot be read; the message says why, for the client."""


class Budget:
    """Counts bytes before they are held. Invariant: the bytes taken never exceed the limit.

    Every method may be called from any thread.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._num_bytes = 0
        self._lock = Lock()

    def check(self, num_bytes: int) -> None:
        """Raise CannotRead if there is no room for so many bytes more."""
        if self._num_bytes + num_bytes > self._max_bytes:
            raise CannotRead(
                f"the files, images and the like of a request may have {self._max_bytes} bytes together"
            )

    def take(self, num_bytes: int) -> None:
        """Count bytes. Raises CannotRead, and then counts none."""
        with self._lock:
            self.check(num_bytes)
            self._num_bytes += num_bytes
