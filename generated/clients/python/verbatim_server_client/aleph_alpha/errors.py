# Generated from specs/aleph_alpha: mend the document or its overlay, never this file.
"""Aleph Alpha inference API 1.19.0: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class BadRequestError(errors.BadRequestError[m.Error]):
    """400: The request is not what this document says, or breaks a rule that no schema states"""


class AuthenticationError(errors.AuthenticationError[m.Error]):
    """401: The server has a key, and the request has none or another"""


class NotFoundError(errors.NotFoundError[m.Error]):
    """404: No model of this name is served"""


class ContentTooLargeError(errors.ContentTooLargeError[m.Error]):
    """413: The body is longer than the server accepts"""


class UnsupportedMediaTypeError(errors.UnsupportedMediaTypeError[m.Error]):
    """415: The body is not declared as JSON in UTF-8"""


class RateLimitError(errors.RateLimitError[m.Error]):
    """429: The server has as many sequences as it takes at once, or the key has asked as often as it may"""


class InternalServerError(errors.InternalServerError[m.Error]):
    """500: The server failed"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.Error]):
    """503: The server is shutting down"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    400: (BadRequestError, m.Error),
    401: (AuthenticationError, m.Error),
    404: (NotFoundError, m.Error),
    413: (ContentTooLargeError, m.Error),
    415: (UnsupportedMediaTypeError, m.Error),
    429: (RateLimitError, m.Error),
    500: (InternalServerError, m.Error),
    503: (ServiceUnavailableError, m.Error),
}
