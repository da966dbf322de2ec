# Generated from specs/hf: mend the document or its overlay, never this file.
"""Hugging Face Text Generation Inference API 1.0.0: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class BadRequestError(errors.BadRequestError[m.ErrorResponse]):
    """400: The request breaks a rule"""


class AuthenticationError(errors.AuthenticationError[m.ErrorResponse]):
    """401: The server has a key, and the request has none or another"""


class ContentTooLargeError(errors.ContentTooLargeError[m.ErrorResponse]):
    """413: The body is longer than the server accepts"""


class UnsupportedMediaTypeError(errors.UnsupportedMediaTypeError[m.ErrorResponse]):
    """415: The body is not declared as JSON"""


class UnprocessableEntityError(errors.UnprocessableEntityError[m.ErrorResponse]):
    """422: Generation failed"""


class RateLimitError(errors.RateLimitError[m.ErrorResponse]):
    """429: There is no room for the request now"""


class InternalServerError(errors.InternalServerError[m.ErrorResponse]):
    """500: The server failed"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.ErrorResponse]):
    """503: The server is shutting down"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    400: (BadRequestError, m.ErrorResponse),
    401: (AuthenticationError, m.ErrorResponse),
    413: (ContentTooLargeError, m.ErrorResponse),
    415: (UnsupportedMediaTypeError, m.ErrorResponse),
    422: (UnprocessableEntityError, m.ErrorResponse),
    429: (RateLimitError, m.ErrorResponse),
    500: (InternalServerError, m.ErrorResponse),
    503: (ServiceUnavailableError, m.ErrorResponse),
}
