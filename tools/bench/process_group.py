"""The processes of a group, from Linux's /proc."""

from collections.abc import Iterator
from pathlib import Path


def members(group: int) -> Iterator[int]:
    """Yield the ids of the processes in a group."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[2]) == group:
                yield int(stat.parent.name)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
