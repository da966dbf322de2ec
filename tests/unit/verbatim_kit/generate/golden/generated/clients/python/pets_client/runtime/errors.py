"""Everything that a client raises.

ClientError
    APIConnectionError            no answer came: nobody listens, or the connection broke
        APITimeoutError           it took longer than the client's timeout
    APIResponseValidationError    an answer that the contract's document does not describe
    APIStreamError                the contract's error frame, after a stream had begun
    IncompleteStreamError         a stream that ended without the event that ends every one
    APIStatusError                any status but success, below it one class a status

A contract's module has a class of the same name for each status that its document declares, with a typed
`body`.
"""

from collections.abc import Mapping
from typing import Generic, TypeVar

BodyT = TypeVar("BodyT")


class ClientError(Exception):
    """Any failure between the call and its answer."""


class APIConnectionError(ClientError):
    """No answer came, or it broke off."""


class APITimeoutError(APIConnectionError):
    """Connecting, sending or waiting for the next bytes took longer than the timeout."""


class APIResponseValidationError(ClientError):
    """The answer is not what the contract's document says. text: the answer."""

    def __init__(self, message: str, text: str) -> None:
        super().__init__(message)
        self.text = text


class APIStreamError(ClientError, Generic[BodyT]):
    """The server gave up in the middle of a stream. body: the contract's error frame."""

    def __init__(self, text: str, body: BodyT) -> None:
        super().__init__(text)
        self.body = body


class IncompleteStreamError(ClientError):
    """The stream ended before its last event: what came so far may be cut off."""


class APIStatusError(ClientError, Generic[BodyT]):
    """An answer that is not a success.

    body: the contract's error; None if there is none, as where a proxy in between answered.
    text: the answer's body as it came. headers: names in lower case.
    """

    def __init__(self, status: int, headers: Mapping[str, str], text: str, body: BodyT | None) -> None:
        super().__init__(f"{status}: {text[:2000]}")
        self.status = status
        self.headers = headers
        self.text = text
        self.body = body


class BadRequestError(APIStatusError[BodyT]):
    """400"""


class AuthenticationError(APIStatusError[BodyT]):
    """401"""


class PermissionDeniedError(APIStatusError[BodyT]):
    """403"""


class NotFoundError(APIStatusError[BodyT]):
    """404"""


class MethodNotAllowedError(APIStatusError[BodyT]):
    """405"""


class ConflictError(APIStatusError[BodyT]):
    """409"""


class ContentTooLargeError(APIStatusError[BodyT]):
    """413"""


class UnsupportedMediaTypeError(APIStatusError[BodyT]):
    """415"""


class UnprocessableEntityError(APIStatusError[BodyT]):
    """422"""


class FailedDependencyError(APIStatusError[BodyT]):
    """424"""


class RateLimitError(APIStatusError[BodyT]):
    """429"""


class InternalServerError(APIStatusError[BodyT]):
    """500"""


class BadGatewayError(APIStatusError[BodyT]):
    """502"""


class ServiceUnavailableError(APIStatusError[BodyT]):
    """503"""


class GatewayTimeoutError(APIStatusError[BodyT]):
    """504"""


class OverloadedError(APIStatusError[BodyT]):
    """529"""
