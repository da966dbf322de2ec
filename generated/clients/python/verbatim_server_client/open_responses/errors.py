# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses 2026-04-24: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class BadRequestError(errors.BadRequestError[m.ErrorResponse]):
    """400: The request is not what this document says, or breaks a rule that no schema states"""


class AuthenticationError(errors.AuthenticationError[m.ErrorResponse]):
    """401: The server has a key, and the request has none or another"""


class NotFoundError(errors.NotFoundError[m.ErrorResponse]):
    """404: No model of this name is served"""


class ContentTooLargeError(errors.ContentTooLargeError[m.ErrorResponse]):
    """413: The body is longer than the server accepts"""


class UnsupportedMediaTypeError(errors.UnsupportedMediaTypeError[m.ErrorResponse]):
    """415: The body is not declared as JSON in UTF-8"""


class RateLimitError(errors.RateLimitError[m.ErrorResponse]):
    """429: The server has as many requests as it takes at once, or the key has used up its minute"""


class InternalServerError(errors.InternalServerError[m.ErrorResponse]):
    """500: The server failed"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.ErrorResponse]):
    """503: The server is starting or shutting down, or its store cannot be read or written now"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    400: (BadRequestError, m.ErrorResponse),
    401: (AuthenticationError, m.ErrorResponse),
    404: (NotFoundError, m.ErrorResponse),
    413: (ContentTooLargeError, m.ErrorResponse),
    415: (UnsupportedMediaTypeError, m.ErrorResponse),
    429: (RateLimitError, m.ErrorResponse),
    500: (InternalServerError, m.ErrorResponse),
    503: (ServiceUnavailableError, m.ErrorResponse),
}
