"""Answers that are sent before any application has seen the request."""

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import NamedTuple


class EarlyAnswer(NamedTuple):
    """A refusal of a request whose path, and so whose contract, is not known yet: `{"error": message}`."""

    status: HTTPStatus
    message: str

    def encode(self, headers: Iterable[tuple[bytes, bytes]], *, is_to_head: bool = False) -> bytes:
        """Return the whole response, after which the connection is closed.

        headers: those of every answer. is_to_head: whether the request is HEAD, whose answer has no content
        (RFC 9110, section 9.3.2).
        """
        body = json.dumps({"error": self.message}).encode()
        lines = [
            f"HTTP/1.1 {self.status.value} {self.status.phrase}".encode(),
            *(name + b": " + value for name, value in headers),
            b"content-type: application/json",
            b"content-length: %d" % len(body),
            b"connection: close",
        ]
        return b"\r\n".join([*lines, b"", b"" if is_to_head else body])


BAD_REQUEST = EarlyAnswer(HTTPStatus.BAD_REQUEST, "The request is not valid HTTP/1.1")
NO_TUNNEL = EarlyAnswer(HTTPStatus.BAD_REQUEST, "CONNECT asks for a tunnel, which this server does not open")
UNKNOWN_CODING = EarlyAnswer(HTTPStatus.NOT_IMPLEMENTED, "The only transfer coding known here is chunked")
OTHER_VERSION = EarlyAnswer(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "This server speaks HTTP/1.1 and HTTP/1.0")
TOO_MANY_CHUNKS = EarlyAnswer(HTTPStatus.BAD_REQUEST, "The body comes in too many small chunks")
SLOW_HEAD = EarlyAnswer(HTTPStatus.REQUEST_TIMEOUT, "The request's headers took too long")
SLOW_BODY = EarlyAnswer(HTTPStatus.REQUEST_TIMEOUT, "The request's body came too slowly")
TOO_MANY_CONNECTIONS = EarlyAnswer(HTTPStatus.SERVICE_UNAVAILABLE, "The server has too many connections")


def url_too_long(max_bytes: int) -> EarlyAnswer:
    return EarlyAnswer(HTTPStatus.REQUEST_URI_TOO_LONG, f"The URL is longer than {max_bytes} bytes")


def headers_too_long(max_bytes: int) -> EarlyAnswer:
    return EarlyAnswer(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"The headers are longer than {max_bytes} bytes"
    )


def too_many_headers(max_headers: int) -> EarlyAnswer:
    return EarlyAnswer(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"The request has more than {max_headers} headers"
    )
