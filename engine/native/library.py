"""Compiles this folder's C++ once, for the instructions that are used here, and keeps it in the user's cache.

Each .cpp file is one of its functions, and all are linked into one library. It is plain C++ behind a C
interface, called through ctypes. It takes no headers of torch, so g++ is done with a file in two seconds.
Where there is no compiler, the callers keep to torch.

It is linked without an OpenMP library and finds torch's, whatever file that is in: a second one would keep
threads of its own, which spin against torch's for the same cores.
"""

import ctypes
import hashlib
import logging
import os
import platform
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch  # noqa: F401 - its OpenMP library must be there before ours is loaded

from engine.native.instructions import Instructions, usable_instructions
from engine.native.layouts import layout_differences
from engine.native.structures import CONSTANTS, MIRRORS

_log = logging.getLogger(__name__)

_SOURCES = Path(__file__).parent / "src"
# Sums may be taken in any order, but NaN and infinity keep their meaning.
_FLAGS = (
    *("-std=c++17", "-O3", "-fopenmp", "-fPIC"),
    *("-fno-math-errno", "-fno-trapping-math", "-fno-signed-zeros", "-fassociative-math"),
)
# By name rather than as the compiler finds them on the processor: the callers go by `usable_instructions`.
_TARGETS = {
    Instructions.SSE4_2: ("-msse4.2", "-mpopcnt"),
    Instructions.AVX2: ("-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mmovbe"),
    Instructions.AVX512: ("-mavx512f", "-mavx512bw", "-mavx512cd", "-mavx512dq", "-mavx512vl"),
    Instructions.AVX512_VNNI: ("-mavx512vnni",),
    Instructions.AVX512_BF16: ("-mavx512bf16",),
}
_TIMEOUT_S = 60
_LONGEST_REASON = 200  # characters of a compiler's message, which may have hundreds of lines


class Loaded(NamedTuple):
    """The compiled functions, or why there are none."""

    library: ctypes.CDLL | None
    why_not: str = ""


@cache
def loaded() -> Loaded:
    """Compile the functions, or find them compiled, and load them. A failure is logged once."""
    if platform.system() != "Linux":
        return _without(f"it runs on Linux alone, not on {platform.system()}")
    name = os.environ.get("CXX", "g++")
    compiler = shutil.which(name)
    if compiler is None:
        return _without(f"no C++ compiler is found ({name})")
    try:
        path = _cache_directory() / f"native-{_fingerprint(compiler)}.so"
        if not path.exists():
            _compile(compiler, path)
        library = ctypes.CDLL(str(path))
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:  # RuntimeError: the user has no home
        message = str(getattr(error, "stderr", None) or error)
        _log.warning("torch computes everything: %s", message)
        return Loaded(None, f"it cannot be compiled or loaded: {' '.join(message.split())[:_LONGEST_REASON]}")

    differences = list(layout_differences(library, MIRRORS, CONSTANTS))
    if not differences:
        return Loaded(library)
    _log.error("torch computes everything, as structures differ in %s: %s", path, "; ".join(differences))
    return Loaded(None, f"its structures differ: {'; '.join(differences)[:_LONGEST_REASON]}")


def _without(reason: str) -> Loaded:
    _log.info("torch computes everything: %s", reason)
    return Loaded(None, reason)


def load_library() -> ctypes.CDLL | None:
    """Return the compiled functions; None where they cannot be had."""
    return loaded().library


def compiled() -> ctypes.CDLL:
    """The functions, where `load_library` has them."""
    library = load_library()
    assert library is not None
    return library


def _compile(compiler: str, path: Path) -> None:
    """Into a file of its own first, as several servers may start at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as directory:

        def run(*command: str) -> None:
            subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=_TIMEOUT_S, cwd=directory
            )

        sources = sorted(
            _SOURCES.rglob("*.cpp"), key=lambda source: -source.stat().st_size
        )  # the longest first
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(
                pool.map(
                    lambda source: run(compiler, *_flags(), "-I", str(_SOURCES), "-c", str(source)), sources
                )
            )
        run(compiler, "-shared", *(f"{source.stem}.o" for source in sources), "-o", "linked.so")
        Path(directory, "linked.so").replace(path)


def _flags() -> list[str]:
    usable = usable_instructions()
    if usable is Instructions.OTHER:
        return [*_FLAGS, "-march=native"]
    target = [flag for least, flags in _TARGETS.items() if least <= usable for flag in flags]
    return [*_FLAGS, "-mtune=native", *target]


def _fingerprint(compiler: str) -> str:
    """Of all that the result depends on: sources, flags, compiler, processor."""
    version = subprocess.run(
        [compiler, "--version"], check=True, capture_output=True, text=True, timeout=_TIMEOUT_S
    ).stdout
    sources = sorted([*_SOURCES.rglob("*.cpp"), *_SOURCES.rglob("*.h")])
    texts = [source.read_text(encoding="utf-8") for source in sources]
    parts = [*texts, *_flags(), version, platform.machine(), _processor_flags()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _processor_flags() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def _cache_directory() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verbatim"
