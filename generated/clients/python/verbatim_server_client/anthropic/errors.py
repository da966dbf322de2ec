# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""Anthropic Messages API 2026-10-21: a class for each status that is no success."""

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


class RateLimitError(errors.RateLimitError[m.ErrorResponse]):
    """429: The key has made more requests, or used more tokens, than it may in a minute"""


class InternalServerError(errors.InternalServerError[m.ErrorResponse]):
    """500: The server failed"""


class OverloadedError(errors.OverloadedError[m.ErrorResponse]):
    """529: The server has no room for the request now"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    400: (BadRequestError, m.ErrorResponse),
    401: (AuthenticationError, m.ErrorResponse),
    404: (NotFoundError, m.ErrorResponse),
    413: (ContentTooLargeError, m.ErrorResponse),
    429: (RateLimitError, m.ErrorResponse),
    500: (InternalServerError, m.ErrorResponse),
    529: (OverloadedError, m.ErrorResponse),
}
