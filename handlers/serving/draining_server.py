"""An extension of uvicorn's server that drains its engine when it stops, and stops when the engine dies."""

import asyncio
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from types import FrameType
from typing import Final

import uvicorn
from typing_extensions import override
from uvicorn.config import STARTUP_FAILURE

from engine.port.engine import Engine
from handlers.http.descriptors import OWN_CONNECTIONS
from handlers.http.protocol import BoundedProtocol
from handlers.process.exit_status import ExitStatus
from handlers.process.footprint import footprint
from handlers.process.standard_output import say
from handlers.process.watchdog import FORCE_S, Watchdog
from handlers.serving.listener import BACKLOG

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
    ) -> None:
        """Create a server.

        url: its address. grace_s: seconds that running requests have after a signal to stop.
        handshake_timeout_s: limit of TLS handshakes. announce: called with the address when connections are
        accepted.
        """
        super().__init__(config)
        self._announce_to = announce
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
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        draining = asyncio.create_task(self._engine.drain(self._grace_s))
        await super().shutdown(sockets)
        draining.cancel()  # complete, unless a second SIGINT ended the shutdown early
        self._death.cancel()

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a stop signal; unlike uvicorn, do not raise it again after a regular stop."""
        if self.should_exit and sig == signal.SIGINT:
            super().handle_exit(sig, frame)
            self.status = self.status or ExitStatus.INTERRUPTED
        self._watchdog.arm(self._grace_s + FORCE_S)
        self.should_exit = True
