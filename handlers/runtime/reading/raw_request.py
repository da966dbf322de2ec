"""A request's undecoded headers, its values outside of JSON, and the bytes of its body as they arrive."""

from collections.abc import AsyncGenerator
from typing import Any

from pydantic_core import from_json
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from handlers.runtime.problem import BodyTooLarge


def read_scalar(text: str) -> Any:
    """Return the JSON value of a text in a path, a query, a header or a form, whose type is no string.

    It is the text itself where that is no JSON.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return text


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
