"""The names of the checks, in a module without optional dependencies, so that `--help` works without them."""

from typing import Final

CHECKS: Final = {
    "presence": "the operation exists",
    "examples": "the example requests of the document",
    "streams": "the events, their order and end, and their text compared with that of a non-streamed answer",
    "sockets": "the examples as messages of a WebSocket, and texts that are none, where it takes messages",
    "bounds": "values at, just inside and just outside the limits that the document sets",
    "fuzz": "generated requests, valid and invalid",
}
"""The checks in the order of the report, each with a short description."""

OPTIONAL_CHECKS: Final = tuple(name for name in CHECKS if name != "presence")
"""The checks that can be selected; presence is always checked."""
