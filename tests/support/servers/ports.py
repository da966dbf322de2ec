"""Ports for servers that must be told theirs."""

import socket


def free_ports(number: int) -> list[int]:
    """Return ports that nothing listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
