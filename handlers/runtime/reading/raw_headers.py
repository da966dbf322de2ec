"""A request's headers as they came."""

from starlette.types import Scope


def raw_header(scope: Scope, name: bytes) -> bytes | None:
    """The first of that name, which is in lower case as ASGI has them all; None where there is none.

    starlette's Headers decodes every header that it passes, and every request is asked for a few.
    """
    for key, value in scope["headers"]:
        if key == name:
            found: bytes = value
            return found
    return None
