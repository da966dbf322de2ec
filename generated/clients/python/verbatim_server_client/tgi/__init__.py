# Generated from specs/tgi: mend the document or its overlay, never this file.
"""Text Generation Inference 2.3.2-dev0."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    ContentTooLargeError,
    FailedDependencyError,
    InternalServerError,
    NotFoundError,
    RateLimitError,
    ServiceUnavailableError,
    UnprocessableEntityError,
    UnsupportedMediaTypeError,
)

CONTRACT_VERSION = "2.3.2-dev0"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "CONTRACT_VERSION",
    "Client",
    "ContentTooLargeError",
    "FailedDependencyError",
    "InternalServerError",
    "NotFoundError",
    "RateLimitError",
    "ServiceUnavailableError",
    "UnprocessableEntityError",
    "UnsupportedMediaTypeError",
    "models",
    "requests",
]
