"""A request that is too large before its body has begun is refused, and its connection closed."""

import asyncio

import pytest

from tests.unit.verbatim_kit.http.echo import LIMITS, Client, serving

HOST = b"Host: test\r\n"


def get(url: bytes = b"/", headers: bytes = b"") -> bytes:
    return b"GET " + url + b" HTTP/1.1\r\n" + HOST + headers + b"\r\n"


CHUNKED = b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"


def url_of(num_bytes: int) -> bytes:
    return b"/".ljust(num_bytes, b"a")


def header_of(num_bytes: int) -> bytes:
    """One header line; with the Host line, that many bytes."""
    return b"X: ".ljust(num_bytes - len(HOST) - 2, b"a") + b"\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        get(url_of(LIMITS.max_url_bytes)),
        get(headers=header_of(LIMITS.max_header_bytes)),
        get(headers=b"A: b\r\n" * (LIMITS.max_headers - 1)),
        CHUNKED + b"1;" + b"a" * LIMITS.max_header_bytes + b"\r\nx\r\n0\r\n\r\n",
        CHUNKED + b"1\r\nx\r\n0\r\n" + b"A: b\r\n" * LIMITS.max_headers + b"\r\n",
    ],
    ids=["url", "headers", "number of headers", "chunk extension", "trailers"],
)
async def test_what_just_fits_is_served(raw: bytes) -> None:
    async with serving() as server:
        answer = await server.exchange(raw)
        assert (answer.status, answer.json()["body"]) == (200, "x" if raw.startswith(CHUNKED) else "")


TOO_LARGE = [
    (get(url_of(LIMITS.max_url_bytes + 1)), 414, "The URL is longer than 1000 bytes"),
    (get(headers=header_of(LIMITS.max_header_bytes + 1)), 431, "The headers are longer than 4000 bytes"),
    (get(headers=b"A: b\r\n" * LIMITS.max_headers), 431, "The request has more than 20 headers"),
    (
        CHUNKED + b"1\r\nx\r\n0\r\n" + b"A: b\r\n" * (LIMITS.max_headers + 1) + b"\r\n",
        431,
        "The request has more than 20 headers",
    ),
]


@pytest.mark.parametrize(
    ("raw", "status", "message"), TOO_LARGE, ids=["url", "headers", "number of headers", "trailers"]
)
@pytest.mark.parametrize("is_in_pieces", [False, True], ids=["at once", "in pieces"])
async def test_what_is_too_large_is_refused_and_closes_the_connection(
    raw: bytes, status: int, message: str, is_in_pieces: bool
) -> None:
    async with serving() as server, server.connect() as client:
        for piece in pieces(raw) if is_in_pieces else [raw]:
            client.write(piece)
            await asyncio.sleep(0)
        answer = await client.read_answer()
        assert answer.status == status
        assert answer.json() == {"error": message}
        assert answer.headers["connection"] == "close"
        assert await client.read_to_end() == b""


def pieces(raw: bytes) -> list[bytes]:
    return [raw[start : start + 50] for start in range(0, len(raw), 50)]


ENDLESS = {
    "header value": b"GET / HTTP/1.1\r\nX: ",
    "header name": b"GET / HTTP/1.1\r\nX",
    "chunk extension": CHUNKED + b"1;a",
    "trailer": CHUNKED + b"1\r\nx\r\n0\r\nX: ",
    "blank lines": b"\r\n",
}


@pytest.mark.parametrize("begun", ENDLESS.values(), ids=ENDLESS.keys())
async def test_what_never_ends_is_refused_once_it_is_too_long(begun: bytes) -> None:
    async with serving() as server, server.connect() as client:
        client.write(begun)
        assert await flood(client, (b"\r\n" if begun == b"\r\n" else b"aa") * 500) == 431


async def flood(client: Client, piece: bytes) -> int:
    """Send a piece at a time, each read by itself, until there is an answer; its status."""
    answer = asyncio.ensure_future(client.read_answer())
    for _ in range(100):
        client.write(piece)
        done, _ = await asyncio.wait([answer], timeout=0.01)
        if done:
            break
    return (await answer).status


async def test_each_pipelined_request_has_limits_of_its_own() -> None:
    largest = get(url_of(LIMITS.max_url_bytes), header_of(LIMITS.max_header_bytes))
    async with serving() as server, server.connect() as client:
        client.write(largest * 5)
        answers = [await client.read_answer() for _ in range(5)]
    assert [(answer.status, answer.json()["body"]) for answer in answers] == [(200, "")] * 5


async def test_trailers_are_no_headers() -> None:
    async with serving() as server:
        answer = await server.exchange(CHUNKED + b"1\r\nx\r\n0\r\nAuthorization: Bearer a\r\n\r\n")
        assert answer.json()["body"] == "x"
        assert "authorization" not in dict(answer.json()["headers"])


async def test_small_chunks_are_read_whole() -> None:
    async with serving() as server:
        answer = await server.exchange(CHUNKED + b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n")
        assert answer.json()["body"] == "x" * 20_000


async def test_too_many_small_chunks_are_refused() -> None:
    async with serving() as server, server.connect() as client:
        client.write(CHUNKED + b"1\r\nx\r\n" * 65_537)
        refusal = await client.read_answer()
        assert refusal.status == 400
        assert refusal.json() == {"error": "The body comes in too many small chunks"}
        assert await client.read_to_end() == b""
