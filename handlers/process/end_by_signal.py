"""The end of a process by a signal, at once and in silence, while there is nothing to undo.

Python would report an interrupt of the keyboard with a traceback, or hide it, where it comes in an import.
The first process of a container would not be ended by SIGTERM.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from handlers.process.exit_status import ExitStatus


@contextmanager
def ended_by(sent: signal.Signals) -> Iterator[None]:
    """End the process at such a signal within the block, with the status that shells report for it.

    A signal that the process was started to ignore, as SIGINT in the background of a script, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(sent) == signal.SIG_IGN:
        yield  # signals belong to the main thread
        return
    previous = signal.signal(sent, _end)
    try:
        yield
    finally:
        signal.signal(sent, previous)


def run_in_silence(load: Callable[[], Callable[[], int]]) -> int:
    """Return the exit status of the process's command, which any stop signal ends without a traceback.

    load: imports the command, and returns what runs it. That handles an interrupt itself, and its status is
    ExitStatus.INTERRUPTED then; another interrupt ends the process, while Python waits for threads.
    """
    with ended_by(signal.SIGTERM):
        with ended_by(signal.SIGINT):
            run = load()
        status = run()
    if status == ExitStatus.INTERRUPTED and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return status


def _end(sent: int, frame: FrameType | None) -> NoReturn:
    end_now(128 + sent)


def end_now(status: int) -> NoReturn:
    """End the process at once, with all that was written and logged."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, RuntimeError):  # the signal may have come within a write
            stream.flush()
    os._exit(status)
