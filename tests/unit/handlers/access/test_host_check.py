"""A request names its host once, in a valid form, or is refused in the words of its path's contract."""

from typing import Any

import pytest
from starlette.types import Message, Scope

from handlers.composition import build_app
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says

ALL: dict[str, Any] = {"allowed_hosts": ("*",)}  # or other names would be refused with 403

VALID = [
    *(b"localhost", b"localhost:8080", b"a.example.", b"127.0.0.1:80", b"[::1]", b"[::1]:8080", b"", b"a:"),
    *(b":80", b"under_score.example", b"a%20b", b"xn--bcher-kva.example", b"[fe80::1%25eth0]:1", b"[v1.a:b]"),
]
INVALID = [
    *(b"a b", b"a/b", b"user@a", b"a:b", b"a:1:2", b"::1", b"[::1", b"::1]", b"[]", b"a, b", b"a\tb", b"a?b"),
    *(
        b"b\xc3\xbccher.example",
        b"a%2",
        b"a%zz",
        b"a#b",
        b"a\\b",
        b'"a"',
        b"<a>",
        b"[::1]a",
        b"a^b",
        b"[a b]",
    ),
]


async def status(*hosts: bytes, version: str = "1.1", path: str = "/health", **settings: Any) -> int:
    """Return the status of the answer to a request with these Host headers."""
    (start, *_) = await answered(*hosts, version=version, path=path, **settings)
    return int(start["status"])


async def answered(*hosts: bytes, version: str, path: str, **settings: Any) -> list[Message]:
    app = build_app(Settings(**(ALL | settings)), ScriptedEngine(says("a")))
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def collect(message: Message) -> None:
        sent.append(message)

    scope: Scope = {
        "type": "http",
        "http_version": version,
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", host) for host in hosts],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 80),
    }
    await app(scope, receive, collect)
    return sent


@pytest.mark.parametrize("host", VALID)
async def test_a_valid_host_is_served(host: bytes) -> None:
    assert await status(host) == 200


@pytest.mark.parametrize("host", INVALID)
async def test_an_invalid_host_is_refused_in_any_version(host: bytes) -> None:
    assert [await status(host, version=version) for version in ("1.0", "1.1", "2")] == [400] * 3


@pytest.mark.parametrize("version", ["1.0", "1.1", "2"])
async def test_two_hosts_are_refused_even_if_they_are_equal(version: str) -> None:
    assert await status(b"a", b"a", version=version) == 400


async def test_only_http_1_1_must_have_a_host() -> None:
    assert [await status(version=version) for version in ("1.0", "1.1", "2")] == [200, 400, 200]


@pytest.mark.parametrize("settings", [{}, {"api_key": "key"}, {"host": "0.0.0.0", "allowed_hosts": ()}])
async def test_it_holds_for_every_server(settings: dict[str, Any]) -> None:
    assert await status(**settings) == 400


async def test_an_invalid_host_comes_before_one_that_is_not_allowed() -> None:
    assert await status(b"evil example", allowed_hosts=("llm.example",)) == 400
    assert await status(b"evil.example", allowed_hosts=("llm.example",)) == 403


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/v1/models", b'{"error":{"message":"The request has no Host header, which HTTP/1.1 requires",'),
        (
            "/tgi/info",
            b'{"error":"The request has no Host header, which HTTP/1.1 requires","error_type":"val',
        ),
        ("/anthropic/v1/models", b'{"type":"error","error":{"type":"invalid_request_error","message":'),
        ("/triton/v2", b'{"error":"The request has no Host header, which HTTP/1.1 requires"}'),
        ("/nothing", b'{"error":{"message":'),
    ],
)
async def test_the_error_is_that_of_the_paths_contract(path: str, form: bytes) -> None:
    start, body = await answered(version="1.1", path=path)
    assert start["status"] == 400
    assert body["body"].startswith(form)
