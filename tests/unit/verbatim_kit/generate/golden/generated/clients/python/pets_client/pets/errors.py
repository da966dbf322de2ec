# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1: a class for each status that is no success."""

from typing import Any, Final

from ..runtime import errors
from . import models as m


class BadRequestError(errors.BadRequestError[m.Error]):
    """400: Not JSON"""


class AuthenticationError(errors.AuthenticationError[m.Error]):
    """401: Not without the key"""


class NotFoundError(errors.NotFoundError[m.Error]):
    """404: No such pet, or a \\ in its name"""


class UnprocessableEntityError(errors.UnprocessableEntityError[m.Error]):
    """422: The request is not what this document says"""


class ServiceUnavailableError(errors.ServiceUnavailableError[None]):
    """503: Closed"""


ERRORS: Final[dict[int, tuple[type[errors.APIStatusError[Any]], Any]]] = {
    400: (BadRequestError, m.Error),
    401: (AuthenticationError, m.Error),
    404: (NotFoundError, m.Error),
    422: (UnprocessableEntityError, m.Error),
    503: (ServiceUnavailableError, None),
}
