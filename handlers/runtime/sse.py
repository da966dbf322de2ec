"""Server-sent events on the wire (WHATWG HTML, section 9.2), as every contract here frames them."""

KEEP_ALIVE = b":\n\n"

HEADERS = [
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back otherwise
]


def frame(data: bytes, name: bytes = b"") -> bytes:
    """One event; neither part has a line break, which JSON text need not have."""
    named = b"event: " + name + b"\n" if name else b""
    return named + b"data: " + data + b"\n\n"
