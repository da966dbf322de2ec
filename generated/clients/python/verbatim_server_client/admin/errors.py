# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API 1.0.0: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class BadRequestError(errors.BadRequestError[m.ErrorResponse]):
    """400: The request is not what this document says"""


class AuthenticationError(errors.AuthenticationError[m.ErrorResponse]):
    """401: The admin key is missing, or another one was sent"""


class NotFoundError(errors.NotFoundError[m.ErrorResponse]):
    """404: There is no model of this name"""


class InternalServerError(errors.InternalServerError[m.ErrorResponse]):
    """500: The server failed"""


class ServiceUnavailableError(errors.ServiceUnavailableError[m.ErrorResponse]):
    """503: The model cannot be started, or not within `--model-start-timeout`"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    400: (BadRequestError, m.ErrorResponse),
    401: (AuthenticationError, m.ErrorResponse),
    404: (NotFoundError, m.ErrorResponse),
    500: (InternalServerError, m.ErrorResponse),
    503: (ServiceUnavailableError, m.ErrorResponse),
}
