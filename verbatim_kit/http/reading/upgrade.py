"""The conversion of a request that asks for another protocol into one that does not.

A server may ignore the wish (RFC 9110, section 7.8), and must where it speaks no other; llhttp however reads
the bytes after such a head as the other protocol. Java's HttpClient sends `Upgrade: h2c` with its requests.
"""

from collections.abc import Iterable, Iterator
from typing import Final

_UPGRADE_NAMES: Final = {b"upgrade", b"http2-settings"}


def head_without_upgrade(
    method: bytes, url: bytes, http_version: str, headers: Iterable[tuple[bytes, bytes]]
) -> bytes:
    """Return a request line and headers, names in lower case, that ask for no upgrade."""
    lines = [b"%b %b HTTP/%b" % (method, url, http_version.encode())]
    lines += [b"%b: %b" % header for header in _without_upgrade(headers)]
    return b"\r\n".join([*lines, b"", b""])


def _without_upgrade(headers: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    for name, value in headers:
        if name == b"connection":
            kept = [option for option in value.split(b",") if option.strip().lower() not in _UPGRADE_NAMES]
            if kept:
                yield name, b",".join(kept).strip()
        elif name not in _UPGRADE_NAMES:
            yield name, value
