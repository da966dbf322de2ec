"""The attempts to run one sequence, on one server after another until one generates a token; no torch."""

import logging
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from engine.port.errors import EngineBusy, EngineError, GenerationFailed
from engine.remote.client.failures import NoAnswer, ServerFailed, is_own
from engine.remote.fleet.router import Router
from engine.remote.fleet.server import Server

_MAX_TRIES: Final = 3
# A request that makes servers fail is not sent to all of them.
_MAX_FAULTS: Final = 2

_log = logging.getLogger(__name__)


class Attempts:
    """The attempts for one sequence; a context manager that counts it in the load of the current server.

    Each server is tried once, at most three servers. The only server is tried again if it did not answer.
    """

    def __init__(
        self,
        router: Router[Server],
        num_tokens: int,
        keys: Sequence[bytes] = (),
        adapter: str | None = None,
    ) -> None:
        """Store the arguments of `Router.choose`."""
        self._router = router
        self._adapter = adapter
        self._num_tokens = num_tokens
        self._keys = keys
        self._tried: list[Server] = []
        self._num_faults = 0
        self._is_trial = False
        self._has_begun = False

    def __enter__(self) -> Self:
        """Choose the first server. Raises EngineBusy if no server serves the model."""
        server = self._router.choose(self._num_tokens, self._keys, adapter=self._adapter)
        if server is None:
            raise EngineBusy("no server of the engine serves its model")
        self._begin(server)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def server(self) -> Server:
        """The current server."""
        return self._tried[-1]

    @property
    def num_tries(self) -> int:
        """The number of attempts so far, including the one at the current server."""
        return len(self._tried)

    def begun(self) -> None:
        """Record that a token has arrived; only the first call has an effect."""
        if not self._has_begun:
            self._has_begun, self._is_trial = True, False
            self.server.begun()

    def complete(self) -> None:
        """Record that the sequence is complete."""
        self.server.completed()

    def fail(self, error: NoAnswer | EngineError) -> None:
        """Record an error and select the next server.

        Raises the error if another attempt would not help, with EngineBusy for NoAnswer.
        """
        server, is_alone = self.server, self._router.num_admitted <= 1
        if isinstance(error, NoAnswer):
            _log.warning("%s did not answer a request: %s", server.upstream.url, error.__cause__ or error)
            if not is_alone and not is_own(error):
                server.lose()
                server.failed()  # so that passing its health check does not bring it back each time
        elif isinstance(error, EngineBusy | GenerationFailed) and not is_alone:
            server.failed()
        self._num_faults += isinstance(error, ServerFailed)
        next_server = self._next(error, is_alone=is_alone)
        if next_server is None:
            if isinstance(error, NoAnswer):
                raise EngineBusy("the engine's server cannot be reached") from error
            raise error
        self._end()
        self._begin(next_server)

    def _next(self, error: NoAnswer | EngineError, *, is_alone: bool) -> Server | None:
        """Return the server of the next attempt; None for no further attempt."""
        is_useful = isinstance(error, NoAnswer | EngineBusy | ServerFailed)
        if not is_useful or len(self._tried) == _MAX_TRIES or self._num_faults == _MAX_FAULTS:
            return None
        if is_alone:
            return self.server if isinstance(error, NoAnswer) and len(self._tried) == 1 else None
        return self._router.choose(self._num_tokens, self._keys, self._tried, self._adapter)

    def _begin(self, server: Server) -> None:
        self._tried.append(server)
        server.num_outstanding += self._num_tokens
        self._is_trial = server.begin()

    def _end(self) -> None:
        server = self.server
        server.num_outstanding -= self._num_tokens
        if self._is_trial:
            self._is_trial = False
            server.end_trial()
