# Generated from specs/open_responses: mend the document or its overlay, never this file.
"""Open Responses 2026-04-24."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    BadRequestError,
    ContentTooLargeError,
    InternalServerError,
    NotFoundError,
    RateLimitError,
    ServiceUnavailableError,
    UnsupportedMediaTypeError,
)

CONTRACT_VERSION = "2026-04-24"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "BadRequestError",
    "CONTRACT_VERSION",
    "Client",
    "ContentTooLargeError",
    "InternalServerError",
    "NotFoundError",
    "RateLimitError",
    "ServiceUnavailableError",
    "UnsupportedMediaTypeError",
    "models",
    "requests",
]
