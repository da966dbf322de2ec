"""The check of a request's key."""

from collections.abc import Sequence
from typing import Protocol

from generated.operation import Operation


class ChecksKeys(Protocol):
    """The interface of key checks, made before the parameters and the body of a request are read."""

    def check(self, operation: Operation, contract: str, given: Sequence[bytes]) -> None:
        """Let the request in, or raise Problem with a status that the operation declares.

        given: the keys that the request brings, at most one for each header that may carry one.
        """
