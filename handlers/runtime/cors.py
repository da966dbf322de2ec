"""Cross-origin requests, which pages of other sites make."""

from collections.abc import Awaitable

from starlette.middleware.cors import CORSMiddleware
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import override

from .reading.raw_headers import raw_header


class Cors(CORSMiddleware):
    """Starlette's, which takes a request that no page made through its objects for headers all the same.

    Such a request's answer says only that another origin may get another (RFC 9110, section 12.5.5).
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
