# Generated from specs/mindie: mend the document or its overlay, never this file.
"""MindIE chat completions 2.3.0."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    ContentTooLargeError,
    FailedDependencyError,
    InternalServerError,
    ServiceUnavailableError,
    UnprocessableEntityError,
    UnsupportedMediaTypeError,
)

CONTRACT_VERSION = "2.3.0"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "CONTRACT_VERSION",
    "Client",
    "ContentTooLargeError",
    "FailedDependencyError",
    "InternalServerError",
    "ServiceUnavailableError",
    "UnprocessableEntityError",
    "UnsupportedMediaTypeError",
    "models",
    "requests",
]
