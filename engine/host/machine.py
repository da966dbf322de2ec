"""The processors and the memory of this machine that this process may use; no torch."""

import os
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Final

from engine.host.control_group import ControlGroup

_MEMORY: Final = Path("/proc/meminfo")
_MAPPINGS: Final = Path("/proc/self/smaps")
_KIB: Final = 1024


def num_processors() -> int:
    """Return the number of processors by this process's affinity and the quota of its control group."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(allowed, ControlGroup().num_processors() or allowed))


def total_memory() -> int:
    """Return the memory in bytes that this process may use at most: the machine's, or its group's limit."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([physical, *(limit.total for limit in ControlGroup().memory_limits())])


def free_memory() -> int:
    """Return the memory in bytes that this process may still take, in addition to what it has.

    Pages of files that no process has mapped are free, since the kernel gives them up; those of files that
    this process has mapped and not read yet, such as weights, are not.
    """
    limits = ControlGroup().memory_limits()
    free = min([_free_of_machine(), *(limit.total - limit.used for limit in limits)])
    return max(free - _unread_of_files(_lines(_MAPPINGS)), 0)


def _free_of_machine() -> int:
    sizes = _sizes(_lines(_MEMORY))
    if "MemAvailable" not in sizes:  # no Linux, or one before 3.14
        pages = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"  # macOS
        return os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
    return max(sizes["MemAvailable"] - sizes.get("Mapped", 0), sizes.get("MemFree", 0))


def _unread_of_files(lines: Iterable[str]) -> int:
    """Return the bytes of mapped files that are not in memory, without those of libraries, most of which are
    never read. lines: of /proc/self/smaps.
    """
    unread, is_file = 0, False
    for line in lines:
        name, _, rest = line.partition(" ")
        if not name.endswith(":"):  # addresses, permissions, offset, device, inode and path of a mapping
            fields = rest.split(None, 4)
            is_file = len(fields) > 4 and fields[3] != "0" and ".so" not in PurePath(fields[4]).suffixes
        elif is_file and name in ("Size:", "Rss:"):
            size = int(rest.split()[0]) * _KIB
            unread += size if name == "Size:" else -size
    return unread


def _sizes(lines: Iterable[str]) -> dict[str, int]:
    """Return the sizes of /proc/meminfo in bytes, by name."""
    words = (line.split() for line in lines)
    return {name.rstrip(":"): int(size) * _KIB for name, size, unit in (w for w in words if len(w) == 3)}


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
