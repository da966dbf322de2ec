"""Standard output that may be full, or closed at its other end."""

import os
import sys
import time
from contextlib import suppress

from handlers.process.log import json_line

_TARGET = "verbatim"  # of what is printed, beside the loggers' names
_as_json = False


class CannotWrite(Exception):
    """Standard output cannot be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write to standard output: {error.strerror}")


def print_as_json(switch: bool) -> None:
    """Let `say` and `complain` write JSON from now on, or plain text."""
    global _as_json
    _as_json = switch


def say(text: str, level: str = "INFO") -> None:
    """Print lines at once. Raises CannotWrite."""
    try:
        print(_formed(text, level), flush=True)
    except OSError as error:
        _discard()
        raise CannotWrite(error) from error


def complain(text: str) -> None:
    """Print an error to standard error, each of its lines with the name of the command."""
    prefix = "" if _as_json else "verbatim: error: "
    for line in text.splitlines():
        print(_formed(prefix + line, "ERROR"), file=sys.stderr)


def _formed(text: str, level: str) -> str:
    if not _as_json:
        return text
    now = time.time()
    return "\n".join(json_line(line.strip(), level, _TARGET, now) for line in text.splitlines())


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
