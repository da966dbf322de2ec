"""The limits of the control group of this process, which containers and systemd set; no torch."""

import math
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

_ROOT: Final = Path("/sys/fs/cgroup")
_MEMBERSHIP: Final = Path("/proc/self/cgroup")


class MemoryLimit(NamedTuple):
    """The memory that a control group may use, in bytes.

    total: its limit. used: what it uses now, without the pages of files that no process has mapped, which the
    kernel gives up before it lets the group run out of memory.
    """

    total: int
    used: int


class ControlGroup:
    """The control group of this process and those around it, whose limits hold too.

    Version 2 of Linux' control groups is read (Documentation/admin-guide/cgroup-v2.rst), and version 1
    (Documentation/admin-guide/cgroup-v1). What cannot be read limits nothing.
    """

    def __init__(self, root: Path = _ROOT, membership: Path = _MEMBERSHIP) -> None:
        """Read which group this process is in.

        root: the folder where control groups are mounted. membership: the file that names those of a process.
        """
        self._root = root
        try:
            lines = membership.read_text(encoding="utf-8").splitlines()
        except OSError:
            lines = []
        self._memberships = [parts for line in lines if len(parts := line.split(":", 2)) == 3]

    def num_processors(self) -> int | None:
        """Return the quota of processor time in processors, rounded up; None if there is none."""
        quotas = [_ratio(_words(folder / "cpu.max")) for folder in self._folders()] + [
            _ratio([*_words(folder / "cpu.cfs_quota_us"), *_words(folder / "cpu.cfs_period_us")])
            for folder in self._folders("cpu")
        ]
        limits = [quota for quota in quotas if quota is not None]
        return max(1, math.ceil(min(limits))) if limits else None

    def memory_limits(self) -> list[MemoryLimit]:
        """Return the limits of the memory of this group and of those around it; none if there are none."""
        found = []
        for folder in self._folders():
            limits = [_number(folder / name) for name in ("memory.max", "memory.high")]
            found.append(_limit(limits, folder / "memory.current", folder / "memory.stat", ""))
        for folder in self._folders("memory"):
            limits = [_number(folder / "memory.limit_in_bytes")]
            found.append(_limit(limits, folder / "memory.usage_in_bytes", folder / "memory.stat", "total_"))
        return [limit for limit in found if limit is not None]

    def _folders(self, controller: str = "") -> Iterator[Path]:
        """Yield the folders of the group and of those around it, the outermost first.

        A container sees its own group at the root, though the path of its membership may be the host's.
        controller: of version 1; an empty one is version 2.
        """
        folder = self._root / controller
        yield folder
        paths = (path for _, names, path in self._memberships if controller in names.split(","))
        for part in PurePosixPath(next(paths, "")).parts:
            if part not in ("/", ".."):
                folder /= part
                yield folder


def _limit(limits: list[int | None], used: Path, statistics: Path, prefix: str) -> MemoryLimit | None:
    """Return the lowest of the limits. prefix: of the statistics that count the groups inside, too."""
    totals = [limit for limit in limits if limit is not None]
    num_used = _number(used)
    if not totals or num_used is None:
        return None
    pages = dict.fromkeys((f"{prefix}{name}" for name in ("active_file", "inactive_file", "mapped_file")), 0)
    words = _words(statistics)
    for name, value in zip(words[::2], words[1::2], strict=False):
        name = f"{prefix}mapped_file" if name == "file_mapped" else name  # as version 2 calls it
        if name in pages and value.isdigit():
            pages[name] = int(value)
    active, inactive, mapped = pages.values()
    return MemoryLimit(min(totals), max(num_used - max(active + inactive - mapped, 0), 0))


def _ratio(words: list[str]) -> float | None:
    """Return a quota over its period; None for "max" or -1, which are no quota."""
    if len(words) != 2 or not all(map(str.isdigit, words)) or not int(words[1]):
        return None
    return int(words[0]) / int(words[1])


def _number(path: Path) -> int | None:
    words = _words(path)
    return int(words[0]) if len(words) == 1 and words[0].isdigit() else None


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return []
