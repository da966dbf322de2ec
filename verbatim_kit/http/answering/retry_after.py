"""The refusals that say when the client may try again, seen on their way to it."""

from collections.abc import Awaitable, Callable
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_FIRST_ERROR: Final = 400  # of statuses


def noting_retry_after(app: ASGIApp, note: Callable[[bool], None]) -> ASGIApp:
    """Return the application with `note` called at the start of each answer: whether that is an error with
    `Retry-After`.
    """

    def run(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        def send_noted(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                note(_has_retry_after(message))
            return send(message)

        return app(scope, receive, send_noted)

    return run


def _has_retry_after(start: Message) -> bool:
    return start["status"] >= _FIRST_ERROR and any(
        name == b"retry-after" for name, _ in start.get("headers", ())
    )
