"""A program that runs a command, and ends it with all that it has started once the program's input ends.

The input is a pipe from the process that wants the command, so that the command ends with that process
however it ends. A watcher, which is no child of this program, does the same if this program is killed: Ray
kills the children of a replica that it stops. Arguments: the seconds between SIGTERM and SIGKILL, and the
command. The exit status is the command's.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

_INPUT = 0
_POLL_S = 0.1
_ENDED = b"."


def main(grace_s: float, command: list[str]) -> int:
    """Return the command's exit status, as shells report it."""
    watcher = _start_watcher(grace_s)
    try:
        # A group of its own: whatever it starts can be ended with it.
        # The descriptors that this program was passed are for the command.
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, close_fds=False)
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}", flush=True)
        return 127
    _tell(watcher, str(process.pid).encode())
    for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sent, lambda *_: _send(process.pid, signal.SIGTERM))
    threading.Thread(target=_end_with_input, args=(process, grace_s), daemon=True).start()
    status = process.wait()
    _send(process.pid, signal.SIGKILL)  # to what it has left behind
    _tell(watcher, _ENDED)
    return 128 - status if status < 0 else status


def _start_watcher(grace_s: float) -> int:
    """Start a process that ends the command's process group if this program is killed.

    Returns the descriptor of a pipe to it, which takes the number of the group, and _ENDED after its end.
    """
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.close(writing)
        os.setsid()
        if os.fork() == 0:  # the child of a process that ends is init's
            for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(sent, signal.SIG_IGN)  # a unit or a terminal sends them to all of its processes
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nothing, stream)
            _end_with_writer(reading, grace_s)
        os._exit(0)
    os.close(reading)
    os.wait()
    return writing


def _tell(watcher: int, data: bytes) -> None:
    with suppress(BrokenPipeError):  # the watcher was killed itself
        os.write(watcher, data)


def _end_with_writer(reading: int, grace_s: float) -> None:
    received = b""
    while part := os.read(reading, 64):
        received += part
    if not received or received.endswith(_ENDED):
        return
    group, ends_at = int(received), time.monotonic() + grace_s
    _send(group, signal.SIGTERM)
    while _exists(group) and time.monotonic() < ends_at:
        time.sleep(_POLL_S)
    _send(group, signal.SIGKILL)


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):  # its number may be another user's since
        return False
    return True


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
