"""Uvicorn's server, with an engine behind it that is drained, and that may die."""

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
from handlers.process.exit_status import ExitStatus
from handlers.process.footprint import footprint
from handlers.process.standard_output import say
from handlers.process.watchdog import FORCE_S, Watchdog
from handlers.serving.listener import BACKLOG

# Between the end of the grace period, when the engine ends what runs, and the loss of connections whose
# clients have not read their last event by then.
FLUSH_S: Final = 1.5

_log = logging.getLogger(__name__)


def say_ready(url: str) -> None:
    """Print what the start has taken, and that connections are accepted."""
    if (taken := footprint()) is not None:
        say(f"  process   {taken.in_words()}")
    say(f"  ready at {url}")


class DrainingServer(uvicorn.Server):
    """Uvicorn's server, which announces its address when it accepts connections, and drains the engine before
    it cuts connections.

    It also stops when the engine dies, as soon as open requests have been answered with an error.
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
        """Keep what the server needs. announce: is called with the address once connections are accepted."""
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
        """Start as uvicorn does, with a time limit for handshakes: silent clients would have a minute."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(STARTUP_FAILURE)
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
        draining.cancel()  # over, unless a second SIGINT cut it short
        self._death.cancel()

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal to stop; unlike uvicorn, do not raise the first one again after a regular stop."""
        if self.should_exit and sig == signal.SIGINT:
            super().handle_exit(sig, frame)
            self.status = self.status or ExitStatus.INTERRUPTED
        self._watchdog.arm(self._grace_s + FORCE_S)
        self.should_exit = True
