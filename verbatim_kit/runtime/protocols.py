"""The protocols that a contract's handlers may follow beside their operations."""

from typing import Any, Protocol, runtime_checkable

from verbatim_kit.runtime.operation import Operation
from verbatim_kit.runtime.problem import Problem


@runtime_checkable
class Admits(Protocol):
    """The interface of handlers that refuse requests while the server is full, as cheaply as possible."""

    def admit(self, operation: Operation) -> None:
        """Let the request in, or raise Problem with a status that the operation declares.

        The runtime calls this before it reads anything of the request but its key.
        """


@runtime_checkable
class LooksUp(Protocol):
    """The interface of handlers that refuse a request for an unknown resource, whatever its body is."""

    def look_up(self, operation: Operation, arguments: Any) -> None:
        """Check the path's resource, before the body is read.

        arguments: the model of the operation's parameters, valid; None where it has none.
        Raises Problem, with a status that the operation declares.
        """


@runtime_checkable
class CountsRefusals(Protocol):
    """The interface of handlers that also count requests which never reach them."""

    def refused(self, operation: Operation, problem: Problem) -> None:
        """Count a request without a valid key, or whose body or parameters do not match the document."""
