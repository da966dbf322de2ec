"""A request's undecoded headers, and the bytes of its body as they arrive."""

from collections.abc import AsyncGenerator

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from verbatim_kit.runtime.problem import BodyTooLarge


def raw_header(scope: Scope, name: bytes) -> bytes | None:
    """Return the first header of that name, which is in lower case as ASGI's are; None where there is none.

    starlette's Headers decodes every header that it passes, and a few are looked up for every request.
    """
    for key, value in scope["headers"]:
        if key == name:
            found: bytes = value
            return found
    return None


async def body_chunks(scope: Scope, receive: Receive, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield the body piece by piece. Raise BodyTooLarge, before anything is read where its length says so."""
    length = raw_header(scope, b"content-length") or b"0"
    if length.isdigit() and int(length) > max_bytes:
        raise BodyTooLarge(max_bytes)
    num_bytes = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk: bytes = message.get("body", b"")
        num_bytes += len(chunk)
        if num_bytes > max_bytes:
            raise BodyTooLarge(max_bytes)
        yield chunk
        if not message.get("more_body", False):
            return
