"""The keys that a request brings."""

from collections.abc import Iterable

from starlette.types import Scope

from verbatim_kit.runtime.reading.raw_request import raw_header

BEARER_HEADER = "authorization"  # RFC 6750, section 2.1


def given_keys(scope: Scope, names: Iterable[str]) -> list[bytes]:
    """Return the key of each of these headers that has one; `authorization` has it as a bearer token.

    Headers are bytes (RFC 9110, section 5.5), which ASGI servers hand on unchanged.
    """
    found = ((name, raw_header(scope, name.encode())) for name in names)
    keys = (_key_in(name, value) for name, value in found if value is not None)
    return [key for key in keys if key]


def _key_in(name: str, value: bytes) -> bytes:
    """Return the key in a header; empty where there is none."""
    if name != BEARER_HEADER:
        return value.strip()
    scheme, _, token = value.partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""
