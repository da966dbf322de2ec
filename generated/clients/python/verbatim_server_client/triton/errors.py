# Generated from specs/triton: mend the document or its overlay, never this file.
"""Triton Inference Server, HTTP protocol with the generate extension 2.73.0: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class BadRequestError(errors.BadRequestError[m.ErrorResponse]):
    """400: The request cannot be answered"""


class AuthenticationError(errors.AuthenticationError[m.ErrorResponse]):
    """401: The server has a key, and the request has none or another"""


class NotFoundError(errors.NotFoundError[m.ErrorResponse]):
    """404: The model has no such version"""


class InternalServerError(errors.InternalServerError[m.ErrorResponse]):
    """500: The server failed"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.ErrorResponse]):
    """503: The server has no room for the request, or takes none now"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    400: (BadRequestError, m.ErrorResponse),
    401: (AuthenticationError, m.ErrorResponse),
    404: (NotFoundError, m.ErrorResponse),
    500: (InternalServerError, m.ErrorResponse),
    503: (ServiceUnavailableError, m.ErrorResponse),
}
