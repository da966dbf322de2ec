"""One of the servers, as requests are sent to it: its load, and whether it is to get more; no torch."""

import asyncio
import logging
from typing import Final

from engine.remote.client.upstream import Upstream

# Failures in a row, after which a server rests. A server that refuses at once has nothing to compute, and
# would else get every request.
_MAX_FAILURES: Final = 3
_REST_S: Final = 1.0  # after the third; each trial that fails doubles it
_MAX_DOUBLINGS: Final = 5

_log = logging.getLogger(__name__)


class Server:
    """A server's load and standing. All methods belong to one event loop.

    num_outstanding: the number of tokens of the prompts that it computes, and of all that may follow them,
        until a request ends. Tokens that have come stay counted: few clients name a limit, so they say little
        about those to come.
    is_admitted: whether it is known to serve this model; if not, it gets nothing.
    is_healthy: whether it is to get requests, if there are others.
    refusal: the reason why it is not admitted, where it has been asked.

    A server that has failed three times in a row rests for a second. Then one request tries it, and others
    follow once that one has a token.
    """

    def __init__(self, upstream: Upstream, *, is_admitted: bool = True) -> None:
        """Make a server without requests. Requires a running event loop.

        is_admitted: False for a server that was not there at the start.
        """
        self.upstream = upstream
        self.num_outstanding = 0
        self.is_admitted = is_admitted
        self.is_healthy = True
        self.was_admitted = is_admitted
        self.refusal: str | None = None
        self._loop = asyncio.get_running_loop()
        self._is_lost = False
        self._num_failures = 0  # since a sequence was last computed whole
        self._rest: asyncio.TimerHandle | None = None
        self._is_half_open = False  # rested, and not yet tried with success
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

    # Its standing with the watch.

    @property
    def is_lost(self) -> bool:
        """Return whether it could not be reached, or said that it is not healthy, and has not come back."""
        return self._is_lost

    def lose(self) -> None:
        """Send it no requests until it is admitted again."""
        if not self._is_lost:
            _log.warning("%s gets no requests until it is healthy", self.upstream.url)
            self._is_lost = True
            self._update()

    def admit(self) -> None:
        """Send it requests, from now on or again."""
        if self._is_lost or not self.is_admitted:
            _log.warning("%s is healthy%s", self.upstream.url, " again" if self.was_admitted else "")
        self.is_admitted, self.was_admitted, self._is_lost, self.refusal = True, True, False, None
        self._update()

    def refuse(self, reason: str) -> None:
        """Send it nothing, since it does not serve this model, until it is admitted."""
        if reason != self.refusal:
            _log.error("%s gets no requests: %s", self.upstream.url, reason)
        self.is_admitted, self.refusal = False, reason

    # Its standing by its answers.

    def begin(self) -> bool:
        """Take note of a request that is sent to it, and return whether that is its trial after a rest."""
        if not self._is_half_open or self._is_on_trial:
            return False
        self._is_on_trial = True
        self._update()
        return True

    def begun(self) -> None:
        """Take note of a first token."""
        if self._is_half_open:
            _log.warning("%s computes again", self.upstream.url)
            self._is_half_open = self._is_on_trial = False
            self._update()

    def completed(self) -> None:
        """Take note of a sequence that was computed whole."""
        if self._rest is None and not self._is_half_open:  # or else it was sent before
            self._num_failures = 0

    def failed(self) -> None:
        """Take note of a failure of its own."""
        if self._rest is not None:  # of a request that was sent before
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
        """Take note that the server's trial ended without a result, so that another request tries it."""
        self._is_on_trial = False
        self._update()

    def _end_rest(self) -> None:
        self._rest = None
        self._is_half_open = True
        self._update()

    def _update(self) -> None:
        self.is_healthy = not (self._is_lost or self._rest is not None or self._is_on_trial)
