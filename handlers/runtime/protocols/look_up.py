"""The check that the resource in a path exists."""

from typing import Any, Protocol, runtime_checkable

from generated.operation import Operation


@runtime_checkable
class LooksUp(Protocol):
    """The interface of handlers that refuse a request for an unknown resource, whatever its body is."""

    def look_up(self, operation: Operation, arguments: Any) -> None:
        """Check the path's resource, before the body is read.

        arguments: the model of the operation's parameters, valid; None where it has none.
        Raises Problem, with a status that the operation declares.
        """
