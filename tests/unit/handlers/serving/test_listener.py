"""A port has one server, which takes it before its model loads."""

import socket

import pytest

from handlers.serving.listener import CannotListen, start_listening, take_port


def test_two_servers_that_load_at_once_do_not_share_a_port() -> None:
    with take_port("127.0.0.1", 0) as first, pytest.raises(CannotListen, match="already in use"):
        take_port("127.0.0.1", first.getsockname()[1])


def test_a_port_that_another_came_to_listen_on_meanwhile_stops_the_start() -> None:
    with socket.socket() as first, socket.socket() as second:
        for listener in (first, second):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        first.bind(("127.0.0.1", 0))
        second.bind(first.getsockname())
        start_listening(first, *first.getsockname())
        with pytest.raises(CannotListen, match="already in use"):
            start_listening(second, *second.getsockname())


def test_a_port_is_free_again_as_soon_as_its_server_has_ended() -> None:
    with take_port("127.0.0.1", 0) as ended:
        start_listening(ended, *ended.getsockname())
        address = ended.getsockname()
        with socket.create_connection(address), ended.accept()[0] as connection:
            connection.close()  # the side that closes first keeps the port for a while
    with take_port(*address) as next_server:
        start_listening(next_server, *address)
