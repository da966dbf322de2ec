"""A wish for another protocol is ignored (RFC 9110, section 7.8): the request is served with its body."""

import pytest

from tests.unit.verbatim_kit.http.echo import serving
from verbatim_kit.http.reading.upgrade import head_without_upgrade

UPGRADES = {
    "h2c as Java asks for it": (
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n"
    ),
    "any": b"Connection: upgrade\r\nUpgrade: TLS/1.0, IRC/6.9\r\n",
    "websocket": (
        b"Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    ),
}
BODIES = {
    "length": b"Content-Length: 5\r\n\r\nhello",
    "chunked": b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
}
POST = b"POST /a?b=c HTTP/1.1\r\nHost: test\r\nX-Mine: 1\r\n"
GET = b"GET /next HTTP/1.1\r\nHost: test\r\n\r\n"


@pytest.mark.parametrize("upgrade", UPGRADES.values(), ids=UPGRADES.keys())
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
async def test_the_body_is_whole_and_the_connection_goes_on(upgrade: bytes, body: bytes) -> None:
    async with serving() as server, server.connect() as client:
        client.write(POST + upgrade + body + GET)
        said = (await client.read_answer()).json()
        assert (said["method"], said["path"], said["query"], said["body"]) == ("POST", "/a", "b=c", "hello")
        assert ["x-mine", "1"] in said["headers"]
        assert not {"upgrade", "http2-settings"} & {name for name, _ in said["headers"]}
        assert (await client.read_answer()).json()["path"] == "/next"


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
async def test_the_head_may_come_in_pieces(body: bytes) -> None:
    raw = POST + UPGRADES["h2c as Java asks for it"] + body
    async with serving() as server:
        for cut in range(1, len(raw), 7):
            async with server.connect() as client:
                client.write(raw[:cut])
                await client.flushed()
                client.write(raw[cut:])
                assert (await client.read_answer()).json()["body"] == "hello", cut


async def test_requests_that_ask_one_after_the_other_are_all_served() -> None:
    raw = POST + UPGRADES["any"] + BODIES["length"]
    async with serving() as server, server.connect() as client:
        client.write(raw * 20)
        assert [(await client.read_answer()).json()["body"] for _ in range(20)] == ["hello"] * 20


async def test_an_upgrade_that_no_connection_header_names_is_a_header_like_others() -> None:
    async with serving() as server:
        said = (await server.exchange(POST + b"Upgrade: h2c\r\n" + BODIES["length"])).json()
        assert said["body"] == "hello"


async def test_what_is_too_large_is_refused_all_the_same() -> None:
    async with serving() as server:
        raw = POST + UPGRADES["any"] + b"A: b\r\n" * 20 + BODIES["length"]
        refusal = await server.exchange(raw)
        assert (refusal.status, refusal.json()) == (431, {"error": "The request has more than 20 headers"})


async def test_a_tunnel_is_refused() -> None:
    async with serving() as server, server.connect() as client:
        client.write(b"CONNECT test:80 HTTP/1.1\r\nHost: test\r\n\r\n" + GET)
        answer = await client.read_answer()
        assert answer.status == 400
        assert answer.json() == {"error": "CONNECT asks for a tunnel, which this server does not open"}
        assert await client.read_to_end() == b""


def test_other_wishes_of_the_connection_stay() -> None:
    headers = [(b"connection", b"close, Upgrade , TE"), (b"upgrade", b"h2c"), (b"te", b"trailers")]
    assert head_without_upgrade(b"GET", b"/", "1.0", headers) == (
        b"GET / HTTP/1.0\r\nconnection: close, TE\r\nte: trailers\r\n\r\n"
    )
