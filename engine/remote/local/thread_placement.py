"""The cores of a server on this machine, and of this process; only on Linux; no torch."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")


class Placement(NamedTuple):
    """The numbers of cores. bound: the cores to which the server has bound threads. free: the others."""

    bound: frozenset[int]
    free: frozenset[int]


def keep_off_bound_cores(roots: Iterable[int], *, moves_server: bool) -> Placement | None:
    """Move this process, and a server's other threads, off the cores to which the server has bound threads.

    A server that computes on a CPU binds each of its computing threads to a core of its own: a layer is done
    when the last of them is, so that whatever else runs on one of these cores delays them all. The kernel
    places the other threads anywhere, and those of vLLM wait by spinning. Threads started later follow the
    one that starts them.

    roots: the processes from which all of the server's descend. moves_server: also move the server's threads,
    for a server that this process has started. Returns None where nothing was moved: no thread is bound to
    one core, or every core is taken.
    """
    if not hasattr(os, "sched_setaffinity"):
        return None
    own = frozenset(os.sched_getaffinity(0))
    affinities = {
        thread: affinity
        for process in descendants(roots)
        for thread in _threads(process)
        if (affinity := _affinity(thread))
    }
    bound = frozenset[int]().union(*(cores for cores in affinities.values() if len(cores) == 1)) & own
    free = own - bound
    if not bound or not free:
        return None
    unbound = [thread for thread, cores in affinities.items() if moves_server and cores >= own]
    for thread in [*_threads(os.getpid()), *unbound]:
        with suppress(OSError):  # it has ended, or is another user's
            os.sched_setaffinity(thread, free)
    return Placement(bound, free)


def descendants(roots: Iterable[int]) -> list[int]:
    """Return processes and all that descend from them."""
    found = list(roots)
    if not found:
        return []
    children: dict[int, list[int]] = {}
    for stat in _PROC.glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            parent = int(stat.read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    for process in found:
        found += [child for child in children.get(process, ()) if child not in found]
    return found


def _threads(process: int) -> list[int]:
    with suppress(OSError):
        return [int(thread.name) for thread in (_PROC / str(process) / "task").iterdir()]
    return []


def _affinity(thread: int) -> frozenset[int]:
    with suppress(OSError):
        return frozenset(os.sched_getaffinity(thread))
    return frozenset()
