"""The state of a server: its load, its health, and whether it should get requests; no torch."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NoReturn

from engine.port.errors import EngineError
from engine.remote.client.failures import NoAnswer
from engine.remote.client.upstream import Upstream
from engine.remote.servers.model_list import NotReady, Unlisted

PERIOD_S = 2.0  # of health checks

_log = logging.getLogger(__name__)


class Server:
    """A server's load and state. All methods must be called in one event loop.

    num_outstanding: number of prompt tokens and of maximum output tokens of its running requests.
    last_begun_at: the time of its last request. is_admitted: it is known to serve this model; if not, it gets
    no requests. is_healthy: it should get requests, if there are other servers. refusal: the reason it is not
    admitted; None without one.
    """

    def __init__(self, upstream: Upstream, *, is_admitted: bool = True) -> None:
        """Create a server without requests. is_admitted: False for one that was not ready at the start."""
        self.upstream = upstream
        self.num_outstanding = 0
        self.last_begun_at = 0.0
        self.is_admitted = is_admitted
        self.is_healthy = True
        self.refusal: str | None = None

    async def check_health(self) -> bool:
        """Return the result of a health check; if this process cannot send one, the last known state."""
        try:
            return await self.upstream.health.answer()
        except NoAnswer:
            return self.is_healthy

    async def watch(self, check: Callable[["Server"], Awaitable[None]]) -> NoReturn:
        """Check the health periodically, where there are other servers, and update the state.

        A server that reports itself as unhealthy, for example because it is stopping, finishes its running
        requests and gets no new ones, so that servers can be replaced one by one. A different server may
        later answer at its URL, so it is checked before it gets requests again.
        check: raises an EngineError unless a new or returned server serves the engine's model.
        """
        num_failures = 0
        while True:
            has_succeeded = await self.check_health()
            num_failures = 0 if has_succeeded else num_failures + 1
            if has_succeeded and not (self.is_healthy and self.is_admitted):
                await self._admit(check)
            if num_failures > 1:  # a busy server may miss one
                self.lose()
            await asyncio.sleep(PERIOD_S)

    def lose(self) -> None:
        """Send requests to other servers until this one is admitted again."""
        if self.is_healthy:
            _log.warning("%s is unhealthy and gets no requests until it is healthy again", self.upstream.url)
        self.is_healthy = False

    async def _admit(self, check: Callable[["Server"], Awaitable[None]]) -> None:
        """Start sending requests, if the server passes the check; otherwise it is checked again later."""
        try:
            await check(self)
        except EngineError as error:
            if not isinstance(error, NotReady) or isinstance(error, Unlisted):
                self.refuse(str(error))
        except Exception:
            _log.exception("%s could not be checked", self.upstream.url)
        else:
            _log.warning("%s is healthy and gets requests", self.upstream.url)
            self.is_healthy, self.is_admitted, self.refusal = True, True, None

    def refuse(self, reason: str) -> None:
        """Stop sending requests, since the server does not serve this model, until it is admitted again."""
        if reason != self.refusal:
            _log.error("%s gets no requests: %s", self.upstream.url, reason)
        self.is_admitted, self.refusal = False, reason
