"""Requests to an ASGI application without a network."""

from typing import Any

import httpx
from starlette.types import ASGIApp


async def send(app: ASGIApp, method: str, path: str, **request: Any) -> httpx.Response:
    """The answer to one request; what the application raises is raised here."""
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        return await client.request(method, path, **request)


def events(response: httpx.Response) -> list[str]:
    """The data of each event of a stream."""
    frames = response.text.split("\n\n")
    assert frames.pop() == "", "a stream ends with a whole event"
    return [frame.removeprefix("data: ") for frame in frames]
