"""A program that runs a command, and ends it with all that it has started once the program's input ends.

The input is a pipe from the process that wants the command, so that the command ends with that process
however it ends. On Linux it gets SIGTERM where this program itself is killed. Arguments: the seconds between
SIGTERM and SIGKILL, and the command. The exit status is the command's.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

_INPUT = 0
_PR_SET_PDEATHSIG = 1


def main(grace_s: float, command: list[str]) -> int:
    """Return the command's exit status, as shells report it."""
    try:
        # A group of its own: whatever it starts can be ended with it.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_end_with_parent()
        )
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}", flush=True)
        return 127
    for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sent, lambda *_: _send(process.pid, signal.SIGTERM))
    threading.Thread(target=_end_with_input, args=(process, grace_s), daemon=True).start()
    status = process.wait()
    _send(process.pid, signal.SIGKILL)  # to what it has left behind
    return 128 - status if status < 0 else status


def _end_with_parent() -> Callable[[], object] | None:
    """Return a call by which a new process gets SIGTERM when its parent ends; None where there is none."""
    if sys.platform != "linux":
        return None
    import ctypes

    prctl = ctypes.CDLL(None).prctl  # before the fork, after which little is allowed
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _end_with_input(process: "subprocess.Popen[bytes]", grace_s: float) -> None:
    while os.read(_INPUT, 4096):  # sys.stdin has a lock, which a thread must not hold when the program exits
        pass
    _send(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace_s)
        return
    _send(process.pid, signal.SIGKILL)


def _send(group: int, sent: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, sent)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
