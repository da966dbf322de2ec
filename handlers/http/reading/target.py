"""The target of a request, in the form that applications read."""

import httptools


def to_origin_form(method: bytes, url: bytes, headers: list[tuple[bytes, bytes]]) -> bytes:
    """Return path and query of a target in absolute form, `http://host/path` (RFC 9112, section 3.2.2).

    Its authority takes the place of the Host header. `*` stays as it is. Raises HttpParserInvalidURLError.
    """
    if url == b"*":
        return url
    target = httptools.parse_url(url)
    headers[:] = [(name, value) for name, value in headers if name != b"host"]
    headers.append((b"host", _authority(target.host or b"", target.port)))
    if not (target.path or target.query) and method == b"OPTIONS":
        return b"*"  # RFC 9112, section 3.2.4
    path = target.path or b"/"
    return path + b"?" + target.query if target.query else path


def _authority(host: bytes, port: int | None) -> bytes:
    host = b"[%b]" % host if b":" in host else host
    return host if port is None else b"%b:%d" % (host, port)
