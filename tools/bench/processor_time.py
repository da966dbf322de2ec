"""The CPU time of other processes, from Linux's /proc."""

import os
from pathlib import Path
from typing import Final

from tools.bench.process_group import members

_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")


def process_s(pid: int) -> float:
    """Return the CPU seconds of all threads of a process, including ended ones.

    The resolution is 10 ms (proc(5): utime and stime).
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def threads_s(pid: int) -> dict[int, float]:
    """Return the CPU seconds of each running thread of a process, by thread id.

    The main thread's id is the process id. The scheduler counts in nanoseconds.
    """
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {int(task.name): int((task / "schedstat").read_text().split()[0]) / 1e9 for task in tasks}


def group_s(group: int) -> float:
    """Return the CPU seconds of all running threads in a process group."""
    seconds = 0.0
    for process in members(group):
        try:
            seconds += sum(threads_s(process).values())
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
    return seconds
