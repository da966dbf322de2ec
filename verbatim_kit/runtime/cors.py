"""Cross-origin requests, made by pages of other sites."""

from collections.abc import Awaitable

from starlette.middleware.cors import CORSMiddleware
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import override

from verbatim_kit.runtime.reading.raw_request import raw_header


class Cors(CORSMiddleware):
    """Starlette's middleware, which builds no Headers objects here for requests without an origin.

    The answer to such a request only says that it varies by origin (RFC 9110, section 12.5.5).
    """

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or raw_header(scope, b"origin") is not None:
            await super().__call__(scope, receive, send)
            return

        def send_with_vary(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"vary", b"Origin")]
            return send(message)  # not awaited here: that would be one more coroutine for each event

        await self.app(scope, receive, send_with_vary)
