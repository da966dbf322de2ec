# Generated from specs/admin: mend the document or its overlay, never this file.
"""Admin API 1.0.0."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    BadRequestError,
    InternalServerError,
    NotFoundError,
    ServiceUnavailableError,
)

CONTRACT_VERSION = "1.0.0"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "BadRequestError",
    "CONTRACT_VERSION",
    "Client",
    "InternalServerError",
    "NotFoundError",
    "ServiceUnavailableError",
    "models",
    "requests",
]
