"""The middleware in Ray's proxies, which answers with a contract's error where a replica is lost.

Nothing heavy is imported here before a thread does it: Ray starts a proxy anew that takes seconds to start.
"""

import asyncio
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.ray.settings import RaySettings
from handlers.shared_settings.reading import read_from_environment
from handlers.shared_settings.shared_settings import SharedSettings
from verbatim_kit.openapi import streams

if TYPE_CHECKING:
    from handlers.ray.lost_replica import LostReplica

_BUSY: Final = frozenset({408, 429, 503})  # the statuses of Ray's own answers, which are plain text


def middlewares() -> list[Middleware]:
    """Return the middleware for Ray, which finds this function by its name in the environment.

    VERBATIM_ROOT and VERBATIM_ROUTE_PREFIX must be those of the replicas.
    """
    root: tuple[str, ...] = read_from_environment(SharedSettings, "root")
    prefix: str = read_from_environment(RaySettings, "route_prefix")
    return [Middleware(WholeAnswers, root=root, prefix=prefix)]


class WholeAnswers:
    """The proxy, with a whole answer in the contract's form to each request for an operation.

    A stream whose replica is lost ends with the contract's error event. A request whose answer has not begun
    is answered with the contract's error, 503 where its document declares it. Other requests, and answers
    that are no streams and have begun, are left to the proxy, which cuts the connection.
    """

    def __init__(self, app: ASGIApp, root: Collection[str], prefix: str) -> None:
        """Wrap an application.

        root: the contracts that stand at the application's root. prefix: the application's own prefix, or /.
        """
        self._app = app
        self._prefix = prefix.rstrip("/")
        loader = ThreadPoolExecutor(1, thread_name_prefix="contracts")
        self._lost_replica: Future[LostReplica] = loader.submit(_lost_replica, root)
        loader.shutdown(wait=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(f"{self._prefix}/"):
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        await self._app(scope, receive, answer.send)
        if answer.is_whole or (answer.has_begun and not answer.is_stream):
            return
        lost = await asyncio.wrap_future(self._lost_replica)
        request = {**scope, "root_path": self._prefix}
        if not lost.has_operation(request):
            await answer.send_held()
        elif answer.has_begun:
            await send({"type": "http.response.body", "body": lost.last_frames(request)})
        else:
            await lost.refuse(request, send, answer.held_status)


def _lost_replica(root: Collection[str]) -> "LostReplica":
    from handlers.ray.lost_replica import LostReplica

    return LostReplica(root)


class _Answer:
    """One answer on its way to the client. An answer of Ray's own is held back."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._held: list[Message] = []
        self.has_begun = False
        self.is_stream = False
        self.is_whole = False

    @property
    def held_status(self) -> int | None:
        """The status of what is held back."""
        return int(self._held[0]["status"]) if self._held else None

    async def send(self, message: Message) -> None:
        if self._held or _is_rays(message):
            self._held.append(message)
            return
        if message["type"] == "http.response.start":
            self.has_begun = True
            self.is_stream = streams.is_stream(_media_type(message).decode("latin-1"))
        else:
            self.is_whole = not message.get("more_body", False)
        await self._send(message)

    async def send_held(self) -> None:
        for message in self._held:
            await self._send(message)


def _is_rays(message: Message) -> bool:
    if message["type"] != "http.response.start" or message["status"] not in _BUSY:
        return False
    return _media_type(message).startswith(b"text/plain")


def _media_type(start: Message) -> bytes:
    found: bytes = next((value for name, value in start["headers"] if name == b"content-type"), b"")
    return found
