# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class AuthenticationError(errors.AuthenticationError[m.ErrorResponse]):
    """401: The server has a key, and the request has none or another"""


class ContentTooLargeError(errors.ContentTooLargeError[m.ErrorResponse]):
    """413: The body is longer than the server accepts"""


class UnsupportedMediaTypeError(errors.UnsupportedMediaTypeError[m.ErrorResponse]):
    """415: The body is not declared as JSON in UTF-8"""


class UnprocessableEntityError(errors.UnprocessableEntityError[m.ErrorResponse]):
    """422: The request is not what this document says, or breaks a rule that no schema states"""


class FailedDependencyError(errors.FailedDependencyError[m.ErrorResponse]):
    """424: The engine failed"""


class InternalServerError(errors.InternalServerError[m.ErrorResponse]):
    """500: The engine gave no whole answer, or the server failed"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.ErrorResponse]):
    """503: The server has as many requests as it takes at once, or is shutting down"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    401: (AuthenticationError, m.ErrorResponse),
    413: (ContentTooLargeError, m.ErrorResponse),
    415: (UnsupportedMediaTypeError, m.ErrorResponse),
    422: (UnprocessableEntityError, m.ErrorResponse),
    424: (FailedDependencyError, m.ErrorResponse),
    500: (InternalServerError, m.ErrorResponse),
    503: (ServiceUnavailableError, m.ErrorResponse),
}
