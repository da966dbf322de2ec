"""Headers without which a contract answers no request."""

from collections.abc import Mapping
from typing import Final

# By contract; those that are not here want none.
REQUIRED_HEADERS: Final[Mapping[str, Mapping[str, str]]] = {
    "anthropic": {"anthropic-version": "2023-06-01"},
}


def required_headers(contract: str) -> Mapping[str, str]:
    return REQUIRED_HEADERS.get(contract, {})
