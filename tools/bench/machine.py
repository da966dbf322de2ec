"""A description of the machine that a benchmark runs on, and its load by other programs."""

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import torch

# The processor features that affect the speed of matrix multiplication.
_FLAGS: Final = (
    "avx2",
    "avx512f",
    "avx512_bf16",
    "avx512_vnni",
    "avx512_fp16",
    "avx_vnni",
    "amx_bf16",
    "amx_int8",
    "asimd",
    "bf16",
    "i8mm",
)
_LIBRARIES: Final = ("torch", "transformers", "tokenizers", "numpy", "uvicorn", "uvloop", "pydantic")

_READ_BYTES: Final = 2**30


def describe() -> dict[str, Any]:
    """Return a description of the machine, for reports."""
    info = Path("/proc/cpuinfo").read_text()
    lines = [line.partition(":") for line in info.splitlines()]
    fields = {name.strip(): value.strip() for name, _, value in lines}
    flags = set((fields.get("flags") or fields.get("Features") or "").split())
    return {
        "processor": fields.get("model name") or platform.processor() or platform.machine(),
        "family": " ".join(fields.get(name, "?") for name in ("cpu family", "model", "stepping")),
        "flags": [flag for flag in _FLAGS if flag in flags],
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "versions": {name: version(name) for name in _LIBRARIES},
    }


def busy_share(seconds: float = 0.5) -> float:
    """Return the share of all cores' time that other processes use while this one sleeps."""
    before = _processor_times()
    time.sleep(seconds)
    busy, total = (now - then for now, then in zip(_processor_times(), before, strict=True))
    return busy / max(total, 1)


def read_bandwidth() -> float:
    """Return the read bandwidth of memory for all cores together, in bytes per second: the best of five."""
    numbers = torch.ones(_READ_BYTES // 8, dtype=torch.int64)
    numbers.sum()
    times = []
    for _ in range(5):
        started = time.perf_counter()
        numbers.sum()
        times.append(time.perf_counter() - started)
    return _READ_BYTES / min(times)


def _processor_times() -> tuple[int, int]:
    """Return the busy ticks and all ticks of all cores (proc(5))."""
    user, nice, system, idle, iowait, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    busy = user + nice + system + irq + softirq
    return busy, busy + idle + iowait
