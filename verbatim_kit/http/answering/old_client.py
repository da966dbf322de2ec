"""Answers to clients of HTTP/1.0, which know no chunks: one of unknown length ends with its connection."""

from collections.abc import Awaitable
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

_OWN_END: Final = (b"content-length", b"transfer-encoding")


def ending_by_close(app: ASGIApp, cycle: RequestResponseCycle) -> ASGIApp:
    """Return the application with answers that are not cut into chunks (RFC 9112, sections 6.1 and 6.3).

    cycle: uvicorn's answer to one request. It would send chunks to a client of any version.
    """

    def run(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        is_endless = False

        def send_whole(message: Message) -> Awaitable[None]:
            nonlocal is_endless
            if message["type"] == "http.response.start":
                is_endless = all(name.lower() not in _OWN_END for name, _ in message.get("headers", ()))
                if is_endless:
                    cycle.chunked_encoding = False
            elif is_endless:
                cycle.expected_content_length = len(message.get("body", b""))
            return send(message)

        return app(scope, receive, send_whole)

    return run
