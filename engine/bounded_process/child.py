"""The child of a program, which works on one task within bounds, and exits."""

import ctypes
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from engine.bounded_process.limits import ProcessLimits
from engine.bounded_process.messages import Run

OUT_OF_MEMORY: Final = 3  # an exit status
# Of a program, which has few; children close all but their own.
MAX_DESCRIPTORS: Final = 64
_CHANNEL: Final = 3  # the first after the standard ones
_NICENESS: Final = 5  # others' tokens come first
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38
_LIBC: Final = ctypes.CDLL(None)


def run_child(
    serve: Callable[[socket.socket], None], channel: socket.socket, command: Run, parent: int
) -> NoReturn:
    """Work on a task, which is all that `serve` does with the channel. Does not return."""
    status = 1
    try:
        gc.disable()
        _die_with(parent)
        own = _keep_only(channel)
        _bound(command.limits, command.num_threads)
        serve(own)
        status = 0
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        os._exit(status)


def forbid_privileges() -> None:
    """Let no program that this process and its children may run have more rights than they have."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _die_with(parent: int) -> None:
    """Have the kernel end this process with the program; other systems rely on its time limits."""
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before
            os._exit(1)


def _keep_only(channel: socket.socket) -> socket.socket:
    """Close all descriptors but the channel, which is returned, and write to no terminal and no log.

    Libraries say there how they ran out of memory, and what they think of a file.
    """
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)
    os.dup2(channel.detach(), _CHANNEL)
    os.closerange(_CHANNEL + 1, MAX_DESCRIPTORS)
    return socket.socket(fileno=_CHANNEL)


def _bound(limits: ProcessLimits, num_threads: int) -> None:
    """Have the kernel end this process if it takes too much processor time or memory, and let it write no
    file. The program ends it where it lasts too long.
    """
    for number in (signal.SIGCHLD, signal.SIGPROF):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, limits.processor_s * num_threads)
    sizes = _memory_sizes()
    if "VmData" in sizes:  # Linux
        Path("/proc/self/oom_score_adj").write_text("1000")
        data, address_space = sizes["VmData"] + limits.max_bytes, sizes["VmSize"] + 4 * limits.max_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (data, data))
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    os.nice(_NICENESS)
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        resource.setrlimit(kind, (0, 0))
    if not limits.opens_files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))  # those that are open stay so


def _memory_sizes() -> dict[str, int]:
    """Return this process's memory sizes in bytes, by the kernel's names; empty if it gives none."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return {}
    fields = (line.split() for line in lines if line.endswith(" kB"))
    return {name.rstrip(":"): int(size) * 1024 for name, size, _ in fields}
