"""Who knows whether what a path names is there."""

from typing import Any, Protocol, runtime_checkable

from generated.operation import Operation


@runtime_checkable
class LooksUp(Protocol):
    """Implemented by handlers that refuse a request for what its path names, whatever its body is."""

    def look_up(self, operation: Operation, arguments: Any) -> None:
        """Called before the body is read. Raises Problem, with a status that the operation declares.

        arguments: the model of the operation's parameters, valid; None where it has none.
        """
