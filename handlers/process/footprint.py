"""The time that a process has taken since its start, and its memory, as Linux counts them."""

import os
import sys
import time
from pathlib import Path
from typing import NamedTuple


class Footprint(NamedTuple):
    """A process so far: seconds since its start, processor seconds of all its threads, and resident bytes."""

    total_s: float
    processor_s: float
    resident_bytes: int

    def in_words(self) -> str:
        """Return a phrase for the person who starts a server."""
        return (
            f"ready after {self.total_s:.1f} s ({self.processor_s:.1f} s of processor time), "
            f"with {self.resident_bytes / 1e6:,.0f} MB of resident memory"
        )


def footprint() -> Footprint | None:
    """Return this process's; None where the system has no /proc.

    Processes that it has started are not counted, and memory that it shares with others is.
    """
    if sys.platform != "linux":
        return None
    try:
        # The name, the second field, may hold spaces; the start is the 22nd, in ticks since the machine's.
        after_name = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2]
        started_s = int(after_name.split()[19]) / os.sysconf("SC_CLK_TCK")
        num_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    total_s = time.clock_gettime(time.CLOCK_BOOTTIME) - started_s
    return Footprint(total_s, time.process_time(), num_pages * os.sysconf("SC_PAGE_SIZE"))
