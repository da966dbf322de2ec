"""The gate of CI: tests of kernels must not all be skipped on a machine that could have run one.

What the machine could run is read from /proc/cpuinfo, and not asked of the code under test, whose mistake
would skip the tests that show it.
"""

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from engine.native.instructions import VARIABLE, Instructions

REQUIRED = "VERBATIM_KERNELS_MUST_RUN"  # by `make check`; a contributor may have no compiler
_MASK = "VERBATIM_CPUID_MASK"  # of tests/isa
_FLAGS = {
    Instructions.SSE4_2: "sse4_2",
    Instructions.AVX512: "avx512f",
    Instructions.AVX512_VNNI: "avx512_vnni",
    Instructions.AVX512_BF16: "avx512_bf16",
}


class Tally:
    """Counts of tests that ran and were skipped, by the instructions that they need."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()

    def complaints(self, could_run: Mapping[str, bool]) -> list[str]:
        """Return a line for each set whose tests were all skipped, though the machine could have run them."""
        return [
            f"all {number} tests that need {label} were skipped, on a machine that has it"
            for label, number in sorted(self.skipped.items())
            if could_run.get(label, False) and not self.ran[label]
        ]


def could_run(cpuinfo: str, environment: Mapping[str, str]) -> dict[str, bool]:
    """Return which instructions a processor has and may use. Those of bfloat16 give way to AMX."""
    line = next((line for line in cpuinfo.splitlines() if line.startswith("flags")), "")
    flags = set(line.split())
    allowed = [environment.get(name, "native").lower() for name in (VARIABLE, _MASK)]
    most = min(
        (each for name in allowed for each in Instructions if each.label == name), default=Instructions.AMX
    )
    has = {least.label: least <= most and flag in flags for least, flag in _FLAGS.items()}
    if "amx_tile" in flags and most is Instructions.AMX:
        has[Instructions.AVX512_BF16.label] = False
    return has


def complaints_here(tally: Tally) -> list[str]:
    """Return what is wrong with a session on this machine; nothing unless CI asks."""
    path = Path("/proc/cpuinfo")
    if REQUIRED not in os.environ or not path.exists():
        return []
    return tally.complaints(could_run(path.read_text(encoding="utf-8"), os.environ))
