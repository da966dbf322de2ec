"""The reading of a file that a setting names, which may be anything: a pipe that nobody writes to, a device
that never ends, a directory.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Final

_KINDS: Final = {
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def read_whole(path: Path | str, max_bytes: int) -> bytes:
    """Return the content of a regular file.

    Raises OSError, whose `strerror` says what is wrong, for a longer file too, and for anything else.
    """
    with open(path, "rb", opener=open_regular) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"the file is longer than {max_bytes:,} bytes", str(path))
    return content


def open_regular(path: str, flags: int) -> int:
    """Open a regular file, for `open(opener=...)`. Raises OSError for anything else, without waiting."""
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        refuse_irregular(os.fstat(descriptor), path)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def refuse_irregular(status: os.stat_result, path: Path | str) -> None:
    """Raise OSError if the status is not that of a regular file."""
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, and should be a regular file", str(path))
