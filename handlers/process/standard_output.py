"""Standard output that may be full, or closed at its other end."""

import os
import sys
from contextlib import suppress


class CannotWrite(Exception):
    """Standard output cannot be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write to standard output: {error.strerror}")


def say(text: str) -> None:
    """Print a line at once. Raises CannotWrite."""
    try:
        print(text, flush=True)
    except OSError as error:
        _discard()
        raise CannotWrite(error) from error


def flush() -> None:
    """Write out what was printed. Raises CannotWrite."""
    if sys.stdout is None:  # closed from the start
        return
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard()
        raise CannotWrite(error) from error


def _discard() -> None:
    """Discard the rest of the output, which Python would try to write again when it ends, with an error."""
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
