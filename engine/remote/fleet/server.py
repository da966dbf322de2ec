"""The state of a server: its load, and whether it should get requests; no torch."""

import asyncio
import logging
from typing import Final

from engine.remote.client.upstream import Upstream

# Consecutive failures after which a server is paused. Otherwise a server that fails immediately, and so has
# no load, would get every request.
_MAX_FAILURES: Final = 3
_REST_S: Final = 1.0  # the first pause; each failed trial doubles it
_MAX_DOUBLINGS: Final = 5

_log = logging.getLogger(__name__)


class Server:
    """A server's load and state. All methods must be called in one event loop.

    num_outstanding: number of prompt tokens and of maximum output tokens of its running requests. Generated
    tokens stay counted: few clients set a limit, so they say little about the remaining ones. is_admitted: it
    is known to serve this model; if not, it gets no requests. is_healthy: it should get requests, if there
    are other servers. was_admitted: it has been admitted at least once. refusal: the reason it is not
    admitted; None without one.

    A server that has failed three times in a row is paused for a second. Then a single request is sent as a
    trial, and others follow when it has generated a token.
    """

    def __init__(self, upstream: Upstream, *, is_admitted: bool = True) -> None:
        """Create a server without requests. Requires a running event loop.

        is_admitted: False for a server that was not ready at the start.
        """
        self.upstream = upstream
        self.num_outstanding = 0
        self.is_admitted = is_admitted
        self.is_healthy = True
        self.was_admitted = is_admitted
        self.refusal: str | None = None
        self._loop = asyncio.get_running_loop()
        self._is_lost = False
        self._num_failures = 0  # since the last complete sequence
        self._rest: asyncio.TimerHandle | None = None
        self._is_half_open = False  # paused before, without a successful trial since
        self._is_on_trial = False

    @property
    def adapters(self) -> frozenset[str]:
        """The names of the adapters that it has listed."""
        return self.upstream.adapters

    async def close(self) -> None:
        """Close all connections."""
        if self._rest is not None:
            self._rest.cancel()
        await self.upstream.close()

    # Changes by health checks.

    @property
    def is_lost(self) -> bool:
        """True if it could not be reached or reported that it is unhealthy, until it is admitted again."""
        return self._is_lost

    def lose(self) -> None:
        """Stop sending requests until the server is admitted again."""
        if not self._is_lost:
            _log.warning("%s is unhealthy and gets no requests until it is healthy again", self.upstream.url)
            self._is_lost = True
            self._update()

    def admit(self) -> None:
        """Start sending requests."""
        if self._is_lost or not self.is_admitted:
            _log.warning("%s is healthy%s", self.upstream.url, " again" if self.was_admitted else "")
        self.is_admitted, self.was_admitted, self._is_lost, self.refusal = True, True, False, None
        self._update()

    def refuse(self, reason: str) -> None:
        """Stop sending requests, since the server does not serve this model, until it is admitted again."""
        if reason != self.refusal:
            _log.error("%s gets no requests: %s", self.upstream.url, reason)
        self.is_admitted, self.refusal = False, reason

    # Changes by the results of requests.

    def begin(self) -> bool:
        """Record a request, and return whether it is the trial after a pause."""
        if not self._is_half_open or self._is_on_trial:
            return False
        self._is_on_trial = True
        self._update()
        return True

    def begun(self) -> None:
        """Record the first token of a sequence."""
        if self._is_half_open:
            _log.warning("%s answers requests again", self.upstream.url)
            self._is_half_open = self._is_on_trial = False
            self._update()

    def completed(self) -> None:
        """Record a complete sequence."""
        if self._rest is None and not self._is_half_open:  # otherwise it was sent before the pause
            self._num_failures = 0

    def failed(self) -> None:
        """Record a failure of the server."""
        if self._rest is not None:  # the request was sent before the pause
            return
        self._num_failures += 1
        if self._num_failures < _MAX_FAILURES:
            return
        rest_s = _REST_S * 2 ** min(self._num_failures - _MAX_FAILURES, _MAX_DOUBLINGS)
        _log.warning(
            "%s has failed %d times in a row and gets no requests for %.0f s",
            self.upstream.url,
            self._num_failures,
            rest_s,
        )
        self._rest = self._loop.call_later(rest_s, self._end_rest)
        self._is_half_open = self._is_on_trial = False
        self._update()

    def end_trial(self) -> None:
        """Record that the trial ended without a result, so that the next request is a trial."""
        self._is_on_trial = False
        self._update()

    def _end_rest(self) -> None:
        self._rest = None
        self._is_half_open = True
        self._update()

    def _update(self) -> None:
        self.is_healthy = not (self._is_lost or self._rest is not None or self._is_on_trial)
