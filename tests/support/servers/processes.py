"""Processes of the system, as tests see them in /proc."""

from pathlib import Path


def children(pid: int) -> list[int]:
    """Return the ids of a process's living children.

    They are found by their parent's id: the kernel's own list (`/proc/PID/task/TID/children`) may lack some
    while others come and go, and it is gone with the thread that it belongs to.
    """
    return [child for child, (state, parent) in _processes().items() if parent == pid and state != "Z"]


def is_alive(pid: int) -> bool:
    """Return whether the process runs, and is not one that has ended and that nobody has waited for."""
    return pid in (found := _processes()) and found[pid][0] != "Z"


def _processes() -> dict[int, tuple[str, int]]:
    """Return the state and the parent's id of each process."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        found[int(path.parent.name)] = (state, int(parent))
    return found
