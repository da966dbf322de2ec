"""Measures a process's use of the machine, as reported by Linux."""

from pathlib import Path
from typing import NamedTuple


class Usage(NamedTuple):
    """resident_bytes: memory in use. num_files: open file descriptors, sockets among them."""

    resident_bytes: int
    num_threads: int
    num_files: int


def usage(process: int | str = "self") -> Usage:
    directory = Path("/proc") / str(process)
    fields = dict(line.split(":", 1) for line in (directory / "status").read_text().splitlines())
    return Usage(
        resident_bytes=int(fields["VmRSS"].split()[0]) * 1024,
        num_threads=int(fields["Threads"]),
        num_files=len(list((directory / "fd").iterdir())),
    )
