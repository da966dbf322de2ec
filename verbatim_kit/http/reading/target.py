"""The target of a request, in the form that applications read."""

import httptools

from verbatim_kit.http.reading.framing import VERSION


def to_origin_form(method: bytes, url: bytes, version: str, headers: list[tuple[bytes, bytes]]) -> bytes:
    """Return path and query of a target in absolute form, `http://host/path` (RFC 9112, section 3.2.2).

    Its authority takes the place of the Host header, which HTTP/1.1 must have nevertheless. `*` stays as it
    is. Raises HttpParserInvalidURLError.
    """
    if url == b"*":
        return url
    target = httptools.parse_url(url)
    authority = _authority(target.host or b"", target.port)
    headers[:] = [(name, authority if name == b"host" else value) for name, value in headers]
    if version != VERSION and all(name != b"host" for name, _ in headers):
        headers.append((b"host", authority))
    if not (target.path or target.query) and method == b"OPTIONS":
        return b"*"  # RFC 9112, section 3.2.4
    path = target.path or b"/"
    return path + b"?" + target.query if target.query else path


def _authority(host: bytes, port: int | None) -> bytes:
    host = b"[%b]" % host if b":" in host else host
    return host if port is None else b"%b:%d" % (host, port)
