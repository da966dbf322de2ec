"""The count of requests that were refused before they reached a handler."""

from typing import Protocol, runtime_checkable

from generated.operation import Operation
from handlers.runtime.problem import Problem


@runtime_checkable
class CountsRefusals(Protocol):
    """The interface of a contract's handlers that count such requests too."""

    def refused(self, operation: Operation, problem: Problem) -> None:
        """Count a request without a valid key, or whose body or parameters do not match the document."""
