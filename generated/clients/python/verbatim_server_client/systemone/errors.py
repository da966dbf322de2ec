# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API 0.2.0: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class AuthenticationError(errors.AuthenticationError[m.Failure]):
    """401: The server has a key, and the request has none or another"""


class NotFoundError(errors.NotFoundError[m.Failure]):
    """404: No model of this name is served"""


class ContentTooLargeError(errors.ContentTooLargeError[m.Failure]):
    """413: The body is longer than the server accepts"""


class UnsupportedMediaTypeError(errors.UnsupportedMediaTypeError[m.Failure]):
    """415: The body is not declared as JSON in UTF-8"""


class UnprocessableEntityError(errors.UnprocessableEntityError[m.ValidationError]):
    """422: The request is not what this document says, or breaks a rule that no schema states"""


class RateLimitError(errors.RateLimitError[m.Failure]):
    """429: The server has as many requests as it takes at once, or the key has used up its minute"""


class InternalServerError(errors.InternalServerError[m.Failure]):
    """500: The server failed"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.Failure]):
    """503: The server is starting or shutting down"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    401: (AuthenticationError, m.Failure),
    404: (NotFoundError, m.Failure),
    413: (ContentTooLargeError, m.Failure),
    415: (UnsupportedMediaTypeError, m.Failure),
    422: (UnprocessableEntityError, m.ValidationError),
    429: (RateLimitError, m.Failure),
    500: (InternalServerError, m.Failure),
    503: (ServiceUnavailableError, m.Failure),
}
