"""The connection of a WebSocket, with bounds on the time and memory that its client can take."""

import asyncio
from typing import Any, ClassVar, Final

from typing_extensions import override
from uvicorn.config import Config
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.http11 import Request

from verbatim_kit.http.client_times import ClientTimes
from verbatim_kit.http.connections import Connections
from verbatim_kit.http.descriptors import OWN_CONNECTIONS

LINK: Final = "verbatim.connection"
"""Where the application finds what it shares with the connection, among the scope's extensions:
`stopping`, an event, and `set_busy`, which it calls with whether it answers a message.
"""


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """Uvicorn's WebSockets with the limits of `BoundedProtocol` that are left after the handshake.

    One that answers nothing counts as free, and gives way where there are too many connections. A client
    that does not read is disconnected. When the server stops, the application ends the WebSocket, so that it
    finishes an answer before. Uvicorn bounds the size of a message, and asks by pings if the client is there.

    A subclass binds `registry` (`bounded_web_socket`).
    """

    registry: ClassVar[Connections]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._times = ClientTimes(self.registry.limits)
        self._stopping = asyncio.Event()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.registry.add(self, self.app_state.get(OWN_CONNECTIONS, 0))

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self.registry.remove(self)
        super().connection_lost(exc)

    @override
    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:  # the handshake is valid, and the application has not begun yet
            self.scope["extensions"][LINK] = {"stopping": self._stopping, "set_busy": self._set_busy}

    @override
    def resume_writing(self) -> None:
        super().resume_writing()
        self._times.end_stall()

    @override
    def shutdown(self) -> None:
        if self.handshake_complete and not self.close_sent:
            self._stopping.set()
        else:
            super().shutdown()

    def check(self, now: float) -> None:
        """Close the connection if its client has not read for too long. now: seconds of any clock."""
        if self._times.is_stalled(now, self.transport.get_write_buffer_size()):
            self.abort()

    def abort(self) -> None:
        """Close the connection at once, without sending what is buffered."""
        self.transport.abort()

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy:
            self.registry.set_served(self)
        else:
            self.registry.set_free(self)


def bounded_web_socket(connections: Connections) -> type[BoundedWebSocket]:
    """Return the class of uvicorn's WebSockets (`uvicorn.Config(ws=...)`)."""

    class Bound(BoundedWebSocket):
        registry = connections

    return Bound
