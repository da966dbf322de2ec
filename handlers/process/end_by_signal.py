"""The signals that ask a process to stop, and its end by one, in silence, while there is nothing to undo.

Python would report an interrupt of the keyboard with a traceback, or hide it, where it comes in an import.
The first process of a container would not be ended by SIGTERM.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from types import FrameType
from typing import Final, NoReturn

from handlers.process.exit_status import ExitStatus

# Those of a supervisor, and of a terminal that is closed: the second only on systems that have it.
STOP: Final = tuple(signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def heard_by(handle: Callable[[int, FrameType | None], object], *signals: signal.Signals) -> Iterator[None]:
    """Have such signals handled within the block.

    One that the process was started to ignore stays ignored: SIGHUP under `nohup`, SIGINT in the background
    of a script.
    """
    previous = {}
    if threading.current_thread() is threading.main_thread():  # to which signals belong
        heeded = [sent for sent in signals if signal.getsignal(sent) != signal.SIG_IGN]
        previous = {sent: signal.signal(sent, handle) for sent in heeded}
    try:
        yield
    finally:
        for sent, handler in previous.items():
            signal.signal(sent, handler)


def ended_by(*signals: signal.Signals) -> AbstractContextManager[None]:
    """End the process at such a signal within the block, with the status that shells report for it."""
    return heard_by(_end, *signals)


def run_in_silence(load: Callable[[], Callable[[], int]]) -> int:
    """Return the exit status of the process's command, which any stop signal ends without a traceback.

    load: imports the command, and returns what runs it. That handles an interrupt itself, and its status is
    ExitStatus.INTERRUPTED then; another interrupt ends the process, while Python waits for threads.
    """
    open_standard_streams()
    with ended_by(*STOP):
        with ended_by(signal.SIGINT):
            run = load()
        status = run()
    if status == ExitStatus.INTERRUPTED and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return status


def open_standard_streams() -> None:
    """Open the null device in place of standard streams that were closed when the process was started.

    Otherwise files and sockets would get their descriptors, and take what is printed: libuv aborts when it
    closes one of these.
    """
    for descriptor, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            with suppress(OSError):
                os.fstat(descriptor)
                continue
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest number that is free
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115  # for the whole run


def _end(sent: int, frame: FrameType | None) -> NoReturn:
    end_now(128 + sent)


def end_now(status: int) -> NoReturn:
    """End the process at once, with all that was written and logged."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, RuntimeError):  # the signal may have come within a write
            stream.flush()
    os._exit(status)
