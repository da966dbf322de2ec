"""Masks instruction sets from a process: by CPUID itself, or by the limits that libraries accept."""

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from engine.native.instructions import VARIABLE, Instructions
from tests.support.selection.instructions import COMPILER

_SOURCE = Path(__file__).with_name("cpuid_mask.cpp")
_FLAGS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
_MASK = "VERBATIM_CPUID_MASK"
IS_X86 = platform.system() == "Linux" and platform.machine() == "x86_64"


def masked_by_cpuid(most: Instructions) -> dict[str, str]:
    """The environment of a process whose every library finds these at most. `can_mask_cpuid` must hold."""
    return {**os.environ, "LD_PRELOAD": str(_library()), _MASK: most.label}


def masked_by_switches(most: Instructions) -> dict[str, str]:
    """The environment of a process whose engine uses these sets at most, and tells torch's libraries."""
    return {**os.environ, VARIABLE: most.label}


@cache
def can_mask_cpuid() -> bool:
    """Return whether there is a compiler, and processor and kernel can fault on CPUID (AMD: Zen 4 on)."""
    if not IS_X86 or COMPILER is None:
        return False
    nothing = [sys.executable, "-S", "-c", ""]
    run = subprocess.run(nothing, env=masked_by_cpuid(Instructions.SSE4_2), capture_output=True)
    return run.returncode == 0


@cache
def _library() -> Path:
    """Compiled once for each state of its source."""
    assert COMPILER is not None
    name = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:16]
    path = Path(tempfile.gettempdir(), f"verbatim-cpuid-mask-{os.getuid()}-{name}.so")
    if not path.exists():
        with tempfile.TemporaryDirectory(dir=path.parent) as directory:  # whence it is moved in one step
            built = Path(directory, path.name)
            subprocess.run([COMPILER, *_FLAGS, str(_SOURCE), "-o", str(built), "-ldl"], check=True)
            built.replace(path)
    return path
