"""Fields that a request may leave out, or send as null, where both mean the same."""

from typing import TypeVar

from pydantic import MISSING

T = TypeVar("T")


def given(value: T | MISSING | None) -> T | None:
    """None for a field that was left out."""
    return None if value is MISSING else value


def given_or(value: T | MISSING | None, default: T) -> T:
    """What the document says a field is if it is left out."""
    return default if value is MISSING or value is None else value
