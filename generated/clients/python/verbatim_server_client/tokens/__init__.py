# Generated from specs/tokens: mend the document or its overlay, never this file.
"""Token API 0.33.0."""

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

CONTRACT_VERSION = "0.33.0"

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
