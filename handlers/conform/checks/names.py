"""The names of the checks, which the command line needs before what the checks import is there."""

from typing import Final

CHECKS: Final = {
    "presence": "the operation is there",
    "examples": "the document's own requests",
    "streams": "every event, their order and end, and their text beside the whole answer's",
    "bounds": "values at, just inside and just outside of what the document allows",
    "fuzz": "generated requests, valid and not",
}
"""The checks in the order of a report, each with a phrase about it."""

OPTIONAL_CHECKS: Final = tuple(name for name in CHECKS if name != "presence")
"""The checks that can be chosen; whether an operation is there is always checked."""
