"""The socket that a server listens on, which is bound before the model loads."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

BACKLOG: Final = 2048  # connections that wait to be accepted


class CannotListen(OSError):
    """The address or port cannot be used."""


def take_port(host: str, port: int) -> socket.socket:
    """Bind the port before the model loads, without listening yet, so that probes are refused until then."""
    with _cannot_listen(host, port), ExitStack() as on_failure:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = on_failure.enter_context(socket.socket(family, kind, protocol))
        try:
            listener.bind(address)  # without SO_REUSEADDR, which two servers that both load could share it by
        except OSError:
            # Connections of a server that has just ended keep the port from all who do not say so.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        on_failure.pop_all()
    return listener


def start_listening(listener: socket.socket, host: str, port: int) -> None:
    """Listen here, since uvloop would not report that another process listens on the same port already."""
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
    """Put several sockets in the place of one that is bound and does not listen yet, which is closed.

    The system spreads connections over those that listen, so that each belongs to one process. They stay open
    in this process too, so that the connections of a process that has ended wait for the one that follows it.
    Raises CannotListen.
    """
    address = listener.getsockname()
    family, kind, protocol = listener.family, listener.type, listener.proto
    listener.close()
    with _cannot_listen(*address[:2]), ExitStack() as opened:
        sockets = []
        for _ in range(num_sockets):
            one = opened.enter_context(socket.socket(family, kind, protocol))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(address)
            sockets.append(one)
        on_end = opened.pop_all()
    with on_end:
        yield sockets
