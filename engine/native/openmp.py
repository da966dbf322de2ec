"""The OpenMP library that torch brings and our compiled code uses too: its symbols and spinning threads."""

import ctypes
import os
import re
from pathlib import Path

# About ten microseconds. A thread is rarely later, unless another process has its core; then a spinning
# thread takes a core from the thread that it waits for.
_SPINS = "1000"


def limit_spinning() -> None:
    """Make libgomp spin for less than its default of milliseconds, unless the environment says otherwise.

    Call it before torch is imported, which loads libgomp.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)


def share_openmp() -> None:
    """Make the symbols of the OpenMP library in this process visible to libraries that are loaded after.

    Some of torch's wheels load it for all (x86-64), and others for themselves (aarch64). Call it on Linux,
    after torch is imported. Raises OSError.
    """
    mapped = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/" in line}
    for path in mapped:
        if re.match(r"lib(gomp|iomp5|omp)\b", Path(path).name):
            ctypes.CDLL(path, mode=os.RTLD_GLOBAL | os.RTLD_NOLOAD)
