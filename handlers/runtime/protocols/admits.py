"""Who knows whether there is room for a request, whatever it asks for."""

from typing import Protocol, runtime_checkable

from generated.operation import Operation


@runtime_checkable
class Admits(Protocol):
    """Implemented by handlers that refuse requests while the server is full, as cheaply as can be."""

    def admit(self, operation: Operation) -> None:
        """Called before anything of the request is read but its key.

        Raises Problem, with a status that the operation declares.
        """
