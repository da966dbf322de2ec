"""Fields that a request may leave out, or send as null, where both mean the same."""

from typing import TypeVar

from pydantic import MISSING

T = TypeVar("T")


def given(value: T | MISSING | None) -> T | None:
    """Return the field; None if it was left out."""
    return None if value is MISSING else value


def given_or(value: T | MISSING | None, default: T) -> T:
    """Return the field, or the default that the document has for one that is left out."""
    return default if value is MISSING or value is None else value
