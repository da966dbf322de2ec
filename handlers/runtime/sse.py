"""Server-sent events on the wire (WHATWG HTML, section 9.2), as every contract here frames them."""

KEEP_ALIVE = b":\n\n"

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back otherwise
]


def frame(data: bytes) -> bytes:
    """One event; `data` has no line break, which JSON text need not have."""
    return b"data: " + data + b"\n\n"
