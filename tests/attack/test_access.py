"""Web pages that would use a server on their visitor's machine."""

import pytest

from tests.attack.pulse import pulse
from tests.attack.wire import Answer, exchange, request_bytes
from tests.conftest import Server

TRITON = "/v2/models/verbatim-demo/generate"
PAGE = "https://evil.example"


def ask(url: str, path: str, *headers: str, host: str = "127.0.0.1", body: bytes | None = None) -> Answer:
    """Send a request with exactly these headers; one with a body is a POST of plain text."""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", f"Host: {host}", *headers]
    if body is not None:
        lines += ["Content-Type: text/plain", f"Content-Length: {len(body)}"]
    return exchange(url, "\r\n".join([*lines, "", ""]).encode() + (body or b""))


@pytest.fixture(autouse=True)
def stays_healthy(attacked: Server) -> None:
    with pulse(attacked.url):
        pass


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "0.0.0.0:8080"]
)
@pytest.mark.parametrize(
    "path", ["/health", "/info", "/docs", "/playground", "/openai/openapi.json", "/v1/models"]
)
def test_a_rebound_name_reads_nothing(attacked: Server, host: str, path: str) -> None:
    refused = ask(attacked.url, path, host=host)
    assert refused.status == 403
    assert b"allowed-hosts" in refused.body


def test_a_rebound_name_generates_nothing(attacked: Server) -> None:
    body = b'{"text_input": "Hello", "parameters": {"max_tokens": 4}}'
    assert ask(attacked.url, TRITON, host="evil.example", body=body).status == 403
    # A page at a rebound name is of the same origin as the server, as far as its browser can see.
    own = ask(attacked.url, TRITON, "Origin: http://evil.example", host="evil.example", body=body)
    assert own.status == 403


@pytest.mark.parametrize("origin", [PAGE, "null", "http://127.0.0.1.evil.example", "http://localhost:1"])
def test_a_page_cannot_send_text_that_needs_no_preflight(attacked: Server, origin: str) -> None:
    body = b'{"text_input": "Hello", "parameters": {"max_tokens": 4}}'
    refused = ask(attacked.url, TRITON, f"Origin: {origin}", body=body)
    assert refused.status == 403
    assert "error" in refused.json()
    assert ask(attacked.url, TRITON, body=body).status == 200, "what no page sends is answered"


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", "/generate", TRITON, "/anthropic/v1/messages", "/none"]
)
def test_a_preflight_is_refused_and_lets_nothing_follow(attacked: Server, path: str) -> None:
    asked = ("Method: POST", "Headers: content-type", "Private-Network: true")
    headers = (f"Origin: {PAGE}", *(f"Access-Control-Request-{line}" for line in asked))
    answer = exchange(attacked.url, request_bytes(path, method="OPTIONS", headers=headers))
    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_the_servers_own_pages_and_plain_clients_are_answered(attacked: Server) -> None:
    authority = attacked.url.removeprefix("http://")
    for path in ("/docs", "/openai/docs", "/playground", "/playground/about"):
        assert ask(attacked.url, path, host=authority).status == 200
    body = b'{"text_input": "Hello", "parameters": {"max_tokens": 4}}'
    for host in (authority, authority.replace("127.0.0.1", "localhost")):
        assert ask(attacked.url, TRITON, f"Origin: http://{host}", host=host, body=body).status == 200
