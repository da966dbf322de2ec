"""The check for room, before a request is read."""

from typing import Protocol, runtime_checkable

from generated.operation import Operation


@runtime_checkable
class Admits(Protocol):
    """The interface of handlers that refuse requests while the server is full, as cheaply as possible."""

    def admit(self, operation: Operation) -> None:
        """Let the request in, or raise Problem with a status that the operation declares.

        The runtime calls this before it reads anything of the request but its key.
        """
