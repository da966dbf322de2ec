# Generated from specs/systemone: mend the document or its overlay, never this file.
"""System One API 0.2.0."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    ContentTooLargeError,
    InternalServerError,
    NotFoundError,
    RateLimitError,
    ServiceUnavailableError,
    UnprocessableEntityError,
    UnsupportedMediaTypeError,
)

CONTRACT_VERSION = "0.2.0"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "CONTRACT_VERSION",
    "Client",
    "ContentTooLargeError",
    "InternalServerError",
    "NotFoundError",
    "RateLimitError",
    "ServiceUnavailableError",
    "UnprocessableEntityError",
    "UnsupportedMediaTypeError",
    "models",
    "requests",
]
