"""The processes that listen where a URL points."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.remote.local.listeners import listening_processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads Linux's /proc")

_HOLD = "import sys, time; print(flush=True); time.sleep(600)"


@contextmanager
def listening(host: str = "127.0.0.1") -> Iterator[tuple[socket.socket, int]]:
    """Yield a socket that listens, and its port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind((host, 0))
        listener.listen()
        yield listener, listener.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_a_process_is_found_by_the_port_at_which_it_listens(host: str) -> None:
    with listening() as (_, port):
        assert listening_processes(f"http://{host}:{port}/base") == [os.getpid()]


@pytest.mark.skipif(not socket.has_ipv6, reason="it needs IPv6")
def test_an_address_of_ipv6_is_found() -> None:
    try:
        with listening("::1") as (_, port):
            assert listening_processes(f"http://[::1]:{port}") == [os.getpid()]
    except OSError:
        pytest.skip("the machine has no address of IPv6")


def test_all_that_share_the_socket_are_found() -> None:
    with listening() as (listener, port):
        number = listener.fileno()
        child = subprocess.Popen(
            [sys.executable, "-c", _HOLD], pass_fds=[number], stdout=subprocess.PIPE, text=True
        )
        try:
            assert child.stdout is not None and child.stdout.readline()
            assert sorted(listening_processes(f"http://127.0.0.1:{port}")) == sorted([os.getpid(), child.pid])
        finally:
            child.kill()
            child.__exit__(None, None, None)


def test_the_port_of_another_machine_is_not_taken_for_ours() -> None:
    with listening() as (_, port):
        assert listening_processes(f"http://192.0.2.1:{port}") == []


def test_a_port_at_which_nobody_listens_has_no_process() -> None:
    with listening() as (listener, port), socket.create_connection(("127.0.0.1", port)) as client:
        assert listening_processes(f"http://127.0.0.1:{client.getsockname()[1]}") == []
        listener.close()
        assert listening_processes(f"http://127.0.0.1:{port}") == []
