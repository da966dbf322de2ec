"""An extension of uvicorn's server that drains its engine when it stops, and stops when the engine dies."""

import asyncio
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import uvicorn
from typing_extensions import override
from uvicorn.config import STARTUP_FAILURE

from engine.port.engine import Engine
from handlers.access.visits.record_log import LOSSES
from handlers.process.end_by_signal import STOP, end_now, heard_by
from handlers.process.exit_status import ExitStatus
from handlers.process.footprint import footprint
from handlers.process.standard_output import say, say_stopping
from handlers.process.watchdog import FORCE_S, Watchdog
from handlers.serving.listener import BACKLOG
from verbatim_kit.http.descriptors import OWN_CONNECTIONS
from verbatim_kit.http.protocol import BoundedProtocol

# The time between the end of the grace period, when the engine ends running requests, and the closing of
# connections whose clients have not read the last event yet.
FLUSH_S: Final = 1.5

_log = logging.getLogger(__name__)


def say_ready(url: str) -> None:
    """Print the time and memory that the start has taken, and the address, now that the server is ready."""
    if (taken := footprint()) is not None:
        say(f"  process   {taken.in_words()}")
    say(f"  ready at {url}")


class DrainingServer(uvicorn.Server):
    """A uvicorn server that announces its address when it is ready, and drains the engine before it stops.

    It also stops if the engine dies, once open requests have been answered with an error.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        url: str,
        engine: Engine,
        grace_s: float,
        tls: ssl.SSLContext | None,
        handshake_timeout_s: float,
        watchdog: Watchdog,
        *,
        announce: Callable[[str], object] = say_ready,
        announce_stop: Callable[[str], object] = say_stopping,
    ) -> None:
        """Create a server.

        url: its address. grace_s: seconds that running requests have after a signal to stop.
        handshake_timeout_s: limit of TLS handshakes. announce: called with the address when connections are
        accepted. announce_stop: called with what is waited for when the server begins to stop.
        """
        super().__init__(config)
        self._announce_to = announce
        self._announce_stop = announce_stop
        self.status = ExitStatus.STOPPED
        self._tls = tls
        self._handshake_timeout_s = handshake_timeout_s
        self._url = url
        self._engine = engine
        self._grace_s = grace_s
        self._watchdog = watchdog

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if self._tls is None:
            await super().startup(sockets)
        else:
            await self._start_tls(self._tls, sockets or [])
        self._death = asyncio.create_task(self._stop_at_death())
        await self._announce()

    async def _announce(self) -> None:
        """Announce the address, once connections are accepted."""
        self._announce_to(self._url)

    async def _stop_at_death(self) -> None:
        await self._engine.death()
        _log.critical("the server stops because its engine died")
        self.status = ExitStatus.ENGINE_DIED
        self._grace_s = 0.0
        self.config.timeout_graceful_shutdown = FLUSH_S  # type: ignore[assignment]  # any number will do
        self._watchdog.arm(FORCE_S)
        self.should_exit = True

    async def _start_tls(self, tls: ssl.SSLContext, sockets: list[socket.socket]) -> None:
        """Start like uvicorn, with a shorter time limit for handshakes than its 60 s."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
        make = self.config.http_protocol_class
        if issubclass(make, BoundedProtocol):  # before handshakes, whose connections are reported after them
            make.registry.set_limit(self.lifespan.state.get(OWN_CONNECTIONS, 0))
        self.servers = [
            await asyncio.get_running_loop().create_server(
                self._make_protocol,
                sock=listener,
                ssl=tls,
                backlog=BACKLOG,
                ssl_handshake_timeout=self._handshake_timeout_s,
                ssl_shutdown_timeout=FLUSH_S,
            )
            for listener in sockets
        ]
        self.started = True

    def _make_protocol(self) -> asyncio.Protocol:
        make = self.config.http_protocol_class
        return make(  # type: ignore[call-arg] # as uvicorn itself calls it
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    @override
    async def main_loop(self) -> None:
        await super().main_loop()
        if self.status is ExitStatus.STOPPED:  # the log has the reason of any other stop
            self._announce_stop(self._wait_in_words())

    def _wait_in_words(self) -> str:
        num_requests = len(self.server_state.tasks)
        if not num_requests:
            return "no request is running"
        requests = "one running request" if num_requests == 1 else f"{num_requests} running requests"
        return f"waits up to {self._grace_s:g} s for {requests}; Ctrl-C (SIGINT) ends the server at once"

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        draining = asyncio.create_task(self._engine.drain(self._grace_s))
        await super().shutdown(sockets)
        draining.cancel()
        self._death.cancel()
        if self.lifespan.state.get(LOSSES):
            self.status = self.status or ExitStatus.FAILED

    @override
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle stop signals in the block; unlike uvicorn, SIGHUP too, and raise none again."""
        with heard_by(self.handle_exit, signal.SIGINT, *STOP):
            yield

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a stop signal: begin to stop, or end the process at an interrupt of a stop."""
        if self.should_exit and sig == signal.SIGINT:
            end_now(self.status or ExitStatus.INTERRUPTED)
        self._watchdog.arm(self._grace_s + FORCE_S)
        self.should_exit = True
