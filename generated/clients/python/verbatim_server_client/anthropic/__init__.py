# Generated from specs/anthropic: mend the document or its overlay, never this file.
"""Anthropic Messages API 2026-10-21."""

from . import models, requests
from .async_client import AsyncClient
from .client import Client
from .errors import (
    AuthenticationError,
    BadRequestError,
    ContentTooLargeError,
    InternalServerError,
    NotFoundError,
    OverloadedError,
    RateLimitError,
)

CONTRACT_VERSION = "2026-10-21"

__all__ = [
    "AsyncClient",
    "AuthenticationError",
    "BadRequestError",
    "CONTRACT_VERSION",
    "Client",
    "ContentTooLargeError",
    "InternalServerError",
    "NotFoundError",
    "OverloadedError",
    "RateLimitError",
    "models",
    "requests",
]
