"""The end of a request is never in doubt: bytes that two readers could read differently are refused."""

import pytest
from starlette.types import Receive, Scope, Send

from tests.unit.verbatim_kit.http.echo import serving

POST = b"POST / HTTP/1.1\r\nHost: test\r\n"
OLD = b"POST / HTTP/1.0\r\n"
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
    "no coding": POST + b"Transfer-Encoding: identity\r\n\r\n",
    "a coding without chunks": POST + b"Transfer-Encoding: gzip\r\n\r\n",
    "chunks in chunks": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "an empty coding": POST + b"Transfer-Encoding:\r\n\r\n0\r\n\r\n",
    "chunks after a control character": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": OLD + CHUNKED + b"\r\n0\r\n\r\n",
    "chunks and a length in HTTP/1.0": OLD + CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n",
    "an empty length": POST + b"Content-Length:\r\n\r\n",
    "two transfer encodings": POST + CHUNKED + b"Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
    "LF alone": b"POST / HTTP/1.1\nHost: test\nContent-Length: 0\n\n",
    "LF in the headers": POST + b"A: b\nContent-Length: 5\r\n\r\nhello",
    "CR in a value": POST + b"A: b\rContent-Length: 5\r\n\r\nhello",
    "CR before the end of a line": POST + b"A: b\r\r\n\r\n",
    "NUL in a name": POST + b"A\x00: b\r\n\r\n",
    "a control character in a value": POST + b"A: b\x01c\r\n\r\n",
    "DEL in a value": POST + b"A: b\x7f\r\n\r\n",
    "a separator in a name": POST + b"A(: b\r\n\r\n",
    "a folded Host": b"GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
    "a space before the first header": b"GET / HTTP/1.1\r\n A: b\r\nHost: test\r\n\r\n",
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
    "a chunk without a size": POST + CHUNKED + b"\r\n\r\na\r\n",
    "a negative size of a chunk": POST + CHUNKED + b"\r\n-1\r\na\r\n",
    "a chunk's size with a space": POST + CHUNKED + b"\r\n1 \r\na\r\n0\r\n\r\n",
    "an extension with LF": POST + CHUNKED + b"\r\n1;a\n\r\na\r\n0\r\n\r\n",
    "an extension with NUL": POST + CHUNKED + b"\r\n1;a=\x00\r\na\r\n0\r\n\r\n",
    "LF after a chunk": POST + CHUNKED + b"\r\n1\r\na\n0\r\n\r\n",
    "LF after the last chunk": POST + CHUNKED + b"\r\n1\r\na\r\n0\n\n",
    "a trailer without a colon": POST + CHUNKED + b"\r\n0\r\nA b\r\n\r\n",
    "a length in a trailer": POST + CHUNKED + b"\r\n0\r\nContent-Length: 5\r\n\r\n",
    "CR in the target": b"GET /a\rb HTTP/1.1\r\nHost: test\r\n\r\n",
    "a space in the target": b"GET /a b HTTP/1.1\r\nHost: test\r\n\r\n",
    "a tab after the method": b"GET\t/ HTTP/1.1\r\nHost: test\r\n\r\n",
    "a space after the version": b"GET / HTTP/1.1 \r\nHost: test\r\n\r\n",
    "a version of two digits": b"GET / HTTP/1.10\r\nHost: test\r\n\r\n",
    "a version in lower case": b"GET / http/1.1\r\nHost: test\r\n\r\n",
    "a method in lower case": b"get / HTTP/1.1\r\nHost: test\r\n\r\n",
    "an unknown method": b"FOO / HTTP/1.1\r\nHost: test\r\n\r\n",
    "a target that is an authority": b"GET test:80 HTTP/1.1\r\nHost: test\r\n\r\n",
    "a target without a slash": b"GET foo HTTP/1.1\r\nHost: test\r\n\r\n",
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


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"GET / HTTP/2.0\r\nHost: test\r\n\r\n", 505),
        (b"GET /\r\n\r\n", 505),
        (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (POST + b"Transfer-Encoding: gzip\r\n" + CHUNKED + b"\r\n0\r\n\r\n", 501),
    ],
)
async def test_an_unknown_version_or_coding_is_refused_as_such(raw: bytes, status: int) -> None:
    async with serving() as server, server.connect() as client:
        client.write(raw + HIDDEN)
        assert (await client.read_answer()).status == status
        assert await client.read_to_end() == b""


UNUSUAL = {
    "an empty line before": b"\r\n" + POST + b"Content-Length: 5\r\n\r\nhello",
    "chunks in capitals": POST + b"Transfer-Encoding: CHUNKED\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "zeros before a size": POST + CHUNKED + b"\r\n0005\r\nhello\r\n000\r\n\r\n",
    "extensions": POST + CHUNKED + b'\r\n3;a=b\r\nhel\r\n2;a="b;c"\r\nlo\r\n0;d\r\n\r\n',
    "a trailer": POST + CHUNKED + b"\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
    "blanks around a value": POST + b"Content-Length: \t5 \t\r\n\r\nhello",
    "zeros before a length": POST + b"Content-Length: 005\r\n\r\nhello",
    "a body of GET": b"GET / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello",
    "an expectation of another kind": POST + b"Expect: 200-maybe\r\nContent-Length: 5\r\n\r\nhello",
    "a value in Latin-1": POST + b"A: \xe9\r\nContent-Length: 5\r\n\r\nhello",
    "an upgrade": POST + b"Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 5\r\n\r\nhello",
}


@pytest.mark.parametrize("raw", UNUSUAL.values(), ids=UNUSUAL.keys())
async def test_what_is_unusual_but_valid_is_read_and_the_connection_goes_on(raw: bytes) -> None:
    async with serving() as server, server.connect() as client:
        client.write(raw + HIDDEN)
        assert (await client.read_answer()).json()["body"] == "hello"
        assert (await client.read_answer()).json()["path"] == "/hidden"


@pytest.mark.parametrize("options", [b"close", b"a, Close", b"a\r\nConnection: close"])
async def test_nothing_is_served_after_a_request_that_closes(options: bytes) -> None:
    async with serving() as server, server.connect() as client:
        client.write(POST + b"Content-Length: 0\r\nConnection: " + options + b"\r\n\r\n" + HIDDEN)
        answer = await client.read_answer()
        assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert await client.read_to_end() == b""


@pytest.mark.parametrize("rest", [b"/ HTTP/1.1\r\nContent-Length: x\r\n\r\n", b"/" + b"a" * 2_000])
async def test_the_refusal_of_a_head_request_has_no_content(rest: bytes) -> None:
    """Its client reads no content, whatever the length says (RFC 9110, section 9.3.2)."""
    async with serving() as server, server.connect() as client:
        client.write(b"HEAD " + rest)
        received = await client.read_to_end()
        assert received.startswith(b"HTTP/1.1 4") and received.endswith(b"\r\n\r\n")
        assert int(received.partition(b"content-length: ")[2].partition(b"\r\n")[0]) > 0


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
