"""Who is told of requests that were refused before a handler saw them."""

from typing import Protocol, runtime_checkable

from generated.operation import Operation
from handlers.runtime.problem import Problem


@runtime_checkable
class CountsRefusals(Protocol):
    """Implemented by a contract's handlers that count such requests too."""

    def refused(self, operation: Operation, problem: Problem) -> None:
        """The request had no right key, or its body or parameters are not what the document says."""
