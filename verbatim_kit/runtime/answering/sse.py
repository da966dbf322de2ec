"""The framing of server-sent events (WHATWG HTML, section 9.2), common to all contracts."""

KEEP_ALIVE = b":\n\n"

HEADERS = [
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back otherwise
]


def frame(data: bytes, name: bytes = b"") -> bytes:
    """Return one framed event. Neither part may have a line break, which JSON text does not need."""
    return b"event: %b\ndata: %b\n\n" % (name, data) if name else b"data: %b\n\n" % data
