"""A request's undecoded headers."""

from starlette.types import Scope


def raw_header(scope: Scope, name: bytes) -> bytes | None:
    """Return the first header of that name, which is in lower case as ASGI's are; None where there is none.

    starlette's Headers decodes every header that it passes, and a few are looked up for every request.
    """
    for key, value in scope["headers"]:
        if key == name:
            found: bytes = value
            return found
    return None
