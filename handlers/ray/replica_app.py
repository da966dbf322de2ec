"""The application of one replica, as it stands behind Ray's proxies."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.active_requests.merged_metrics import merged
from verbatim_kit.runtime.server import path_of

_REQUEST_ID: Final = b"x-request-id"
_METRICS: Final = "/metrics"

RawHeaders: TypeAlias = list[tuple[bytes, bytes]]


class Scrape(NamedTuple):
    """A request for metrics, as another replica is asked it."""

    path: str
    headers: RawHeaders
    client: tuple[str, int] | None


AskAll: TypeAlias = Callable[[Scrape], Awaitable[dict[str, str]]]
"""Asks all replicas for their metrics, and returns the texts by the replicas' names."""


class ReplicaApp:
    """The application with two differences that the proxies call for.

    Metrics are those of all replicas. The header X-Request-Id is left out of an answer where the proxy adds
    the same one.
    """

    def __init__(self, app: ASGIApp, ask_all: AskAll) -> None:
        self._app = app
        self._ask_all = ask_all

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = [value for name, value in scope["headers"] if name == _REQUEST_ID]

        async def send_once(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [
                    each for each in message["headers"] if each[0] != _REQUEST_ID or each[1] not in given
                ]
                message = {**message, "headers": headers}
            await send(message)

        if scope["method"] == "GET" and path_of(scope).endswith(_METRICS):
            await self._answer_scrape(scope, receive, send_once)
        else:
            await self._app(scope, receive, send_once)

    async def own_metrics(self, scrape: Scrape) -> str | None:
        """Return the metrics of only this replica; None for a request that it refuses."""
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": scrape.path,
            "raw_path": scrape.path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": scrape.headers,
            "client": scrape.client,
            "server": None,
        }
        answer = _Collected()
        await self._app(scope, _nothing, answer.send)
        return answer.body.decode() if answer.status == 200 else None

    async def _answer_scrape(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the application does; what it answers with 200 is the metrics of all."""
        own = _Collected()
        await self._app(scope, receive, own.send)
        if own.status != 200:
            for message in own.messages:
                await send(message)
            return
        scrape = Scrape(path_of(scope), list(scope["headers"]), scope.get("client"))
        body = merged(await self._ask_all(scrape)).encode()
        start = own.messages[0]
        headers = [each for each in start["headers"] if each[0] != b"content-length"]
        length = (b"content-length", str(len(body)).encode())
        await send({**start, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": body})


class _Collected:
    """An answer that is kept."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    @property
    def status(self) -> int:
        return int(self.messages[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages[1:])

    async def send(self, message: Message) -> None:
        self.messages.append(message)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}
