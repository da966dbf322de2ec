"""Clients over HTTPS, with a certificate of the server's and one of their own."""

import socket
import ssl
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.conftest import LIMITS, running_server
from tests.support.servers.certificates import needs_openssl, self_signed

pytestmark = [needs_openssl, pytest.mark.long]


def test_a_server_with_a_certificate_answers_those_who_show_one_that_it_trusts(tmp_path: Path) -> None:
    server, client, stranger = (self_signed(tmp_path, name) for name in ("server", "client", "stranger"))
    options = (
        *("--ssl-certfile", str(server.certificate), "--ssl-keyfile", str(server.key)),
        *("--ssl-ca-certs", str(client.certificate), "--header-timeout", "1"),
    )
    trust = ssl.create_default_context(cafile=server.certificate)
    with running_server(*LIMITS, *options) as running:
        assert running.url.startswith("https://127.0.0.1:")
        trust.load_cert_chain(client.certificate, client.key)
        with httpx.Client(base_url=running.url, verify=trust) as ours:
            assert ours.post("/generate", json={"inputs": "Hello"}).json()["generated_text"]
            assert ours.get("/a" * 10_000).status_code == 414
        trust.load_cert_chain(stranger.certificate, stranger.key)
        with httpx.Client(base_url=running.url, verify=trust) as theirs, pytest.raises(httpx.HTTPError):
            theirs.get("/health")
        silent_client_is_cut_off(running.url)


def silent_client_is_cut_off(url: str) -> None:
    """A handshake that never begins has a time limit too, by default a minute."""
    parts = urlsplit(url)
    started = time.monotonic()
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=50) as connection:
        assert connection.recv(1) == b""
    assert time.monotonic() - started < 30
