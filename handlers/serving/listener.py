"""The listening socket of a server, which is bound before the model is loaded."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

BACKLOG: Final = 2048  # connections that wait to be accepted


class CannotListen(OSError):
    """The address or port cannot be used."""


def take_port(host: str, port: int) -> socket.socket:
    """Bind the port without listening yet, so that probes fail until the model is loaded.

    Raises CannotListen.
    """
    with _cannot_listen(host, port), ExitStack() as on_failure:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = on_failure.enter_context(socket.socket(family, kind, protocol))
        try:
            listener.bind(address)  # without SO_REUSEADDR, so that two loading servers cannot share the port
        except OSError:
            # Connections of a server that has just ended block the port for sockets without SO_REUSEADDR.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        on_failure.pop_all()
    return listener


def start_listening(listener: socket.socket, host: str, port: int) -> None:
    """Start listening. Raises CannotListen, also if another process already listens on the port.

    uvloop would not report the latter.
    """
    with _cannot_listen(host, port):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # its connections inherit it
        listener.listen(BACKLOG)


@contextmanager
def _cannot_listen(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CannotListen(f"cannot listen on {host} port {port}: {error.strerror}") from error


@contextmanager
def share_port(listener: socket.socket, num_sockets: int) -> Iterator[list[socket.socket]]:
    """Replace a bound socket, which is closed, by several sockets on the same port.

    Linux distributes connections over the listening sockets, one for each process. The sockets also stay open
    in this process, so that connections to a process that has ended wait for its replacement. Raises
    CannotListen.
    """
    address = listener.getsockname()
    family, kind, protocol = listener.family, listener.type, listener.proto
    listener.close()
    with _cannot_listen(*address[:2]), ExitStack() as opened:
        sockets = []
        for _ in range(num_sockets):
            shared = opened.enter_context(socket.socket(family, kind, protocol))
            shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            shared.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            shared.bind(address)
            sockets.append(shared)
        on_end = opened.pop_all()
    with on_end:
        yield sockets
