"""Printing to standard output, which may fail because its reader has left or a disk is full."""

import os
import sys
import time
from contextlib import suppress

from handlers.process.log import json_line

_TARGET = "verbatim"  # the `target` of printed lines in JSON, where log records have their logger's name
_as_json = False


class CannotWrite(Exception):
    """Standard output cannot be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write to standard output: {error.strerror}")


def print_as_json(switch: bool) -> None:
    """Select JSON or plain text for all further output of `say` and `complain`."""
    global _as_json
    _as_json = switch


def say(text: str, level: str = "INFO") -> None:
    """Print lines to standard output and flush. Raises CannotWrite."""
    try:
        print(_formed(text, level), flush=True)
    except OSError as error:
        _discard()
        raise CannotWrite(error) from error


def say_stopping(wait: str) -> None:
    """Print what a stop waits for, unless it cannot be written, as to a terminal that is closed."""
    with suppress(CannotWrite):
        say(f"  stopping  {wait}")


def complain(text: str) -> None:
    """Print an error to standard error, with the name of the program before each line."""
    prefix = "" if _as_json else "verbatim: error: "
    for line in text.splitlines():
        with suppress(OSError):  # the exit status remains
            print(_formed(prefix + line, "ERROR"), file=sys.stderr)


def _formed(text: str, level: str) -> str:
    if not _as_json:
        return text
    now = time.time()
    return "\n".join(json_line(line.strip(), level, _TARGET, now) for line in text.splitlines())


def flush() -> None:
    """Flush standard output. Raises CannotWrite."""
    try:
        sys.stdout.flush()
    except OSError as error:
        _discard()
        raise CannotWrite(error) from error


def _discard() -> None:
    """Redirect standard output to the null device, so that Python's flush at exit does not fail again."""
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
