"""The end of a request is never in doubt: bytes that two readers could read differently are refused."""

import pytest
from starlette.types import Receive, Scope, Send

from tests.unit.handlers.http.echo import serving

POST = b"POST / HTTP/1.1\r\nHost: test\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: test\r\n\r\n"

AMBIGUOUS = {
    "a length and chunks": POST + b"Content-Length: 5\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "chunks and a length": POST + CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    "a length twice": POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    "a list of lengths": POST + b"Content-Length: 5, 5\r\n\r\nhello",
    "a signed length": POST + b"Content-Length: +5\r\n\r\nhello",
    "a negative length": POST + b"Content-Length: -5\r\n\r\nhello",
    "a length in hexadecimal": POST + b"Content-Length: 0x5\r\n\r\nhello",
    "a length beyond 64 bits": POST + b"Content-Length: 99999999999999999999\r\n\r\nhello",
    "chunks that are not last": POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "chunks of another name": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "two transfer encodings": POST + CHUNKED + b"Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
    "LF alone": b"POST / HTTP/1.1\nHost: test\nContent-Length: 0\n\n",
    "LF in the headers": POST + b"A: b\nContent-Length: 5\r\n\r\nhello",
    "CR in a value": POST + b"A: b\rContent-Length: 5\r\n\r\nhello",
    "NUL in a value": POST + b"A: b\x00\r\n\r\n",
    "a folded value": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "a folded line": POST + b"A: b\r\n c\r\n\r\n",
    "a space before the colon": POST + b"Content-Length : 5\r\n\r\nhello",
    "a space before the name": POST + b" Content-Length: 5\r\n\r\nhello",
    "no name": POST + b": 5\r\n\r\nhello",
    "no colon": POST + b"Content-Length\r\n\r\nhello",
    "a chunk's size with LF": POST + CHUNKED + b"\r\n1\na\r\n0\r\n\r\n",
    "a chunk's size with a sign": POST + CHUNKED + b"\r\n+1\r\na\r\n0\r\n\r\n",
    "a chunk's size in 0x": POST + CHUNKED + b"\r\n0x1\r\na\r\n0\r\n\r\n",
    "a chunk's size beyond 64 bits": POST + CHUNKED + b"\r\n" + b"F" * 17 + b"\r\na\r\n0\r\n\r\n",
    "a chunk longer than its size": POST + CHUNKED + b"\r\n1\r\nab\r\n0\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}


@pytest.mark.parametrize("raw", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
async def test_an_ambiguous_request_is_refused_and_nothing_behind_it_is_served(raw: bytes) -> None:
    async with serving() as server, server.connect() as client:
        client.write(raw + HIDDEN)
        answer = await client.read_answer()
        assert answer.status == 400
        assert answer.headers["connection"] == "close"
        assert await client.read_to_end() == b""


async def test_a_request_of_http_1_0_closes_its_connection() -> None:
    async with serving() as server, server.connect() as client:
        client.write(b"POST /old HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello")
        answer = await client.read_answer()
        assert (answer.json()["path"], answer.json()["body"]) == ("/old", "hello")
        assert answer.headers["connection"] == "close"
        assert await client.read_to_end() == b""


async def streamed(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer in three pieces, without a length."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    for piece in (b"one, ", b"two, ", b"three"):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body"})


async def test_an_answer_of_unknown_length_has_no_chunks_for_http_1_0() -> None:
    async with serving(streamed) as server, server.connect() as client:
        client.write(b"GET /old HTTP/1.0\r\n\r\n")
        head, _, body = (await client.read_to_end()).partition(b"\r\n\r\n")
        assert b"transfer-encoding" not in head
        assert body == b"one, two, three"
    async with serving(streamed) as server, server.connect() as client:
        client.write(b"GET /new HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
        head, _, body = (await client.read_to_end()).partition(b"\r\n\r\n")
        assert b"transfer-encoding: chunked" in head
        assert body.startswith(b"5\r\none, \r\n") and body.endswith(b"0\r\n\r\n")


async def test_the_head_alone_of_an_answer_of_unknown_length_ends_for_http_1_0() -> None:
    async with serving(streamed) as server, server.connect() as client:
        client.write(b"HEAD /old HTTP/1.0\r\n\r\n")
        received = await client.read_to_end()
        assert received.startswith(b"HTTP/1.1 200") and received.endswith(b"\r\n\r\n")


async def test_no_word_to_continue_comes_to_http_1_0() -> None:
    """Such a client would take it for the answer (RFC 9110, section 10.1.1)."""
    async with serving() as server, server.connect() as client:
        client.write(b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        await client.flushed()
        client.write(b"hello")
        answer = await client.read_answer()
        assert (answer.status, answer.json()["body"]) == (200, "hello")


async def test_the_word_to_continue_comes_before_the_answer() -> None:
    async with serving() as server, server.connect() as client:
        client.write(POST + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        assert (await client.read_answer()).status == 100
        client.write(b"hello")
        assert (await client.read_answer()).json()["body"] == "hello"
        client.write(HIDDEN)
        assert (await client.read_answer()).json()["path"] == "/hidden"


async def test_blank_lines_between_requests_are_ignored() -> None:
    async with serving() as server, server.connect() as client:
        client.write(b"\r\n" + HIDDEN + b"\r\n" + HIDDEN)
        assert [(await client.read_answer()).json()["path"] for _ in range(2)] == ["/hidden"] * 2
