# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class AuthenticationError(errors.AuthenticationError[m.ErrorResponse]):
    """401: The server has a key, and the request has none or another"""


class NotFoundError(errors.NotFoundError[m.ErrorResponse]):
    """404: This server has no tokenizer that can answer"""


class ContentTooLargeError(errors.ContentTooLargeError[m.ErrorResponse]):
    """413: The body is longer than the server accepts"""


class UnsupportedMediaTypeError(errors.UnsupportedMediaTypeError[m.ErrorResponse]):
    """415: The body is not declared as JSON"""


class UnprocessableEntityError(errors.UnprocessableEntityError[m.ErrorResponse]):
    """422: The request breaks a rule of this contract"""


class FailedDependencyError(errors.FailedDependencyError[m.ErrorResponse]):
    """424: The model failed while it generated"""


class RateLimitError(errors.RateLimitError[m.ErrorResponse]):
    """429: The server has no room for another request"""


class InternalServerError(errors.InternalServerError[m.ErrorResponse]):
    """500: Generation ended before it was complete"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.ErrorResponse]):
    """503: The server is shutting down"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    401: (AuthenticationError, m.ErrorResponse),
    404: (NotFoundError, m.ErrorResponse),
    413: (ContentTooLargeError, m.ErrorResponse),
    415: (UnsupportedMediaTypeError, m.ErrorResponse),
    422: (UnprocessableEntityError, m.ErrorResponse),
    424: (FailedDependencyError, m.ErrorResponse),
    429: (RateLimitError, m.ErrorResponse),
    500: (InternalServerError, m.ErrorResponse),
    503: (ServiceUnavailableError, m.ErrorResponse),
}
