"""Extraction of the generated text from the answers and events of all contracts."""

import json
from collections.abc import Iterator
from typing import Any, Final

from verbatim_kit.conform.place import ABSENT, Place, at

_WHOLE: Final[tuple[Place, ...]] = (
    ("choices", 0, "message", "content"),
    ("choices", 0, "text"),
    ("generated_text",),
    (0, "generated_text"),
    ("text_output",),
    ("completions", 0, "completion"),
    ("output", 0, "content", 0, "text"),
    ("content", 0, "text"),
)
_PIECES: Final[tuple[Place, ...]] = (
    ("choices", 0, "delta", "content"),
    ("choices", 0, "text"),
    ("token", "text"),
    ("text_output",),
    ("delta", "text"),
    ("completion",),
)


def whole_text(body: bytes) -> str | None:
    """Return the generated text of a non-streamed answer; None if there is none."""
    try:
        value = json.loads(body)
    except ValueError:
        return None
    return next((text for place in _WHOLE if isinstance(text := at(value, place), str)), None)


def streamed_text(body: bytes) -> str:
    """Return the concatenated generated text of a stream's events."""
    return "".join(_piece(event) for event in _events(body))


def _piece(event: Any) -> str:
    if at(event, ("type",)) == "response.output_text.delta":
        return str(event["delta"])
    if at(event, ("token", "special")) is True:
        return ""
    found = (at(event, place) for place in _PIECES)
    return next((text for text in found if text is not ABSENT and isinstance(text, str)), "")


def _events(body: bytes) -> Iterator[Any]:
    for line in body.decode(errors="replace").splitlines():
        if line.startswith("data:"):
            try:
                yield json.loads(line.removeprefix("data:"))
            except ValueError:
                continue  # a terminator such as `[DONE]`, or invalid data, which the judge reports
