"""A whole answer with what comes beside it."""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import httpx

from .operation import Operation

AnswerT = TypeVar("AnswerT")


class APIResponse(Generic[AnswerT]):
    """The server's answer, unread. It comes from `with_raw_response`, so it is always a success."""

    def __init__(self, operation: Operation[AnswerT, Any], response: httpx.Response) -> None:
        """Raises APIStatusError."""
        if not response.is_success:
            raise operation.error(response)
        self._operation = operation
        self._response = response

    @property
    def status(self) -> int:
        """The answer's status, one that the contract's document declares."""
        return self._response.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """By name, in upper or lower case."""
        return self._response.headers

    @property
    def text(self) -> str:
        """The body as it came."""
        return self._response.text

    def parse(self) -> AnswerT:
        """Return what the method of the same name returns. Raises APIResponseValidationError."""
        return self._operation.read(self._response)
