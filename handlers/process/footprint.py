"""The time and memory that this process has used since its start, from Linux's /proc."""

import os
import sys
import time
from pathlib import Path
from typing import NamedTuple


class Footprint(NamedTuple):
    """The resources used by a process.

    total_s: wall-clock seconds since its start. processor_s: CPU seconds of all its threads. resident_bytes:
    resident memory.
    """

    total_s: float
    processor_s: float
    resident_bytes: int

    def in_words(self) -> str:
        """Return a phrase for the operator."""
        return (
            f"ready after {self.total_s:.1f} s ({self.processor_s:.1f} s of CPU time), "
            f"with {self.resident_bytes / 1e6:,.0f} MB of resident memory"
        )


def footprint() -> Footprint | None:
    """Return the footprint of this process; None on systems other than Linux.

    Child processes are not counted; memory shared with other processes is.
    """
    if sys.platform != "linux":
        return None
    try:
        # Field 2, the name, may contain spaces. Field 22 is the start time, in clock ticks since boot.
        after_name = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2]
        started_s = int(after_name.split()[19]) / os.sysconf("SC_CLK_TCK")
        resident = resident_bytes(os.getpid())
    except OSError:
        return None
    total_s = time.clock_gettime(time.CLOCK_BOOTTIME) - started_s
    return Footprint(total_s, time.process_time(), resident)


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process in bytes. Raises OSError if there is none; only on Linux."""
    num_pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return num_pages * os.sysconf("SC_PAGE_SIZE")
