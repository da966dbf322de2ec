"""Every form of a request's target reaches the application as a path, or is refused."""

import pytest

from tests.unit.verbatim_kit.http.echo import serving


@pytest.mark.parametrize(
    ("line", "path", "query", "host"),
    [
        (b"GET /a", "/a", "", "sent"),
        (b"GET /a?b=%20", "/a", "b=%20", "sent"),
        (b"GET //", "//", "", "sent"),
        (b"GET /%00", "/\0", "", "sent"),
        (b"GET /%2F%3F", "//?", "", "sent"),
        (b"GET /%ff", "/�", "", "sent"),
        (b"GET /a#b", "/a", "", "sent"),
        (b"GET http://test/a?b", "/a", "b", "test"),
        (b"GET http://test:81/a", "/a", "", "test:81"),
        (b"GET http://user:word@test/a", "/a", "", "test"),
        (b"GET http://[::1]:81/a", "/a", "", "[::1]:81"),
        (b"GET http://test", "/", "", "test"),
        (b"GET http://test?b", "/", "b", "test"),
        (b"OPTIONS *", "*", "", "sent"),
        (b"GET *", "*", "", "sent"),
        (b"OPTIONS http://test", "*", "", "test"),
        (b"OPTIONS http://test/", "/", "", "test"),
    ],
)
async def test_a_target_is_served(line: bytes, path: str, query: str, host: str) -> None:
    async with serving() as server:
        said = (await server.exchange(line + b" HTTP/1.1\r\nHost: sent\r\n\r\n")).json()
    assert (said["path"], said["query"]) == (path, query)
    assert [value for name, value in said["headers"] if name == "host"] == [host]


@pytest.mark.parametrize(
    "target",
    [b"?b", b"#", b"test:80", b"", b"/\xc3\xa9", b"/\x00", b"/\t", b"/a b", b"foo://", b"http:///a", b"\\"],
)
async def test_no_target_is_refused(target: bytes) -> None:
    async with serving() as server, server.connect() as client:
        client.write(b"GET " + target + b" HTTP/1.1\r\nHost: sent\r\n\r\n")
        answer = await client.read_answer()
        assert answer.status == 400
        assert answer.json() == {"error": "The request is not valid HTTP/1.1"}
        assert await client.read_to_end() == b""


@pytest.mark.parametrize(
    ("head", "hosts"),
    [
        (b"GET http://test/ HTTP/1.1\r\n\r\n", []),
        (b"GET http://test/ HTTP/1.0\r\n\r\n", ["test"]),
        (b"GET http://test/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", ["test", "test"]),
    ],
)
async def test_a_target_makes_no_header_that_http_1_1_must_have(head: bytes, hosts: list[str]) -> None:
    async with serving() as server:
        said = (await server.exchange(head)).json()
    assert [value for name, value in said["headers"] if name == "host"] == hosts
