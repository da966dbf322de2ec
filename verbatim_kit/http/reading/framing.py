"""The rules by which a request's version and transfer codings are refused, where the parser is lenient.

One leniency stays, since the parser reports no name of a protocol: it reads `GET / RTSP/1.0` as HTTP/1.0.
"""

from collections.abc import Iterable
from typing import Final

from verbatim_kit.http.reading.early_answer import BAD_REQUEST, OTHER_VERSION, UNKNOWN_CODING
from verbatim_kit.http.reading.stop_parsing import StopParsing

VERSION: Final = "1.1"  # earlier ones have neither chunks nor 100 (Continue)
_OLD: Final = "1.0"


def check_version(version: str) -> None:
    """Raise StopParsing for a version that the parser reads but this server does not speak: 0.9, 2.0."""
    if version not in (VERSION, _OLD):
        raise StopParsing(OTHER_VERSION)


def check_codings(version: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Raise StopParsing for transfer codings other than chunked, or any in HTTP/1.0 (RFC 9112, section 6).

    headers: those of the head, names in lower case.
    """
    values = b",".join(value for name, value in headers if name == b"transfer-encoding").lower()
    *others, last = (coding.strip() for coding in values.split(b","))
    if version != VERSION or last != b"chunked" or last in others:  # chunked twice is malformed
        raise StopParsing(BAD_REQUEST)
    if any(others):
        raise StopParsing(UNKNOWN_CODING)
