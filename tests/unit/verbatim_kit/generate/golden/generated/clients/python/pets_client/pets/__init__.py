# Generated from specs/pets: mend the document or its overlay, never this file.
"""Pets 2.1."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    BadRequestError,
    NotFoundError,
    ServiceUnavailableError,
    UnprocessableEntityError,
)

CONTRACT_VERSION = "2.1"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "BadRequestError",
    "CONTRACT_VERSION",
    "Client",
    "NotFoundError",
    "ServiceUnavailableError",
    "UnprocessableEntityError",
    "models",
    "requests",
]
