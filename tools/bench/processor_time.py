"""The processor time of other processes, as Linux reports it."""

import os
from pathlib import Path
from typing import Final

_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")


def process_s(pid: int) -> float:
    """Return the seconds that all threads of a process have computed, those that have ended too.

    They are counted in hundredths (proc(5): utime and stime).
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def threads_s(pid: int) -> dict[int, float]:
    """Return the seconds that each running thread of a process has computed.

    The first thread has the process's own number. They are counted in nanoseconds by Linux's scheduler.
    """
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {int(task.name): int((task / "schedstat").read_text().split()[0]) / 1e9 for task in tasks}


def group_s(group: int) -> float:
    """Return the seconds that all running threads of a process group's running processes have computed."""
    seconds = 0.0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[2]) == group:
                seconds += sum(threads_s(int(stat.parent.name)).values())
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
    return seconds
