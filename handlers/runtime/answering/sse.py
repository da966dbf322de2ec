"""Server-sent events on the wire (WHATWG HTML, section 9.2), as every contract here frames them."""

KEEP_ALIVE = b":\n\n"

HEADERS = [
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back otherwise
]


def frame(data: bytes, name: bytes = b"") -> bytes:
    """One event; neither part has a line break, which JSON text need not have."""
    return b"event: %b\ndata: %b\n\n" % (name, data) if name else b"data: %b\n\n" % data
