# Generated from specs/openai: mend the document or its overlay, never this file.
"""OpenAI API 2.3.0."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ContentTooLargeError,
    InternalServerError,
    NotFoundError,
    RateLimitError,
    ServiceUnavailableError,
    UnsupportedMediaTypeError,
)

CONTRACT_VERSION = "2.3.0"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "BadRequestError",
    "CONTRACT_VERSION",
    "Client",
    "ConflictError",
    "ContentTooLargeError",
    "InternalServerError",
    "NotFoundError",
    "RateLimitError",
    "ServiceUnavailableError",
    "UnsupportedMediaTypeError",
    "models",
    "requests",
]
