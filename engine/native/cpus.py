"""The number of processors that this process may use."""

import math
import os
from pathlib import Path

import torch

_CGROUPS = Path("/sys/fs/cgroup")


def choose_num_threads() -> int:
    """Return the number of threads to compute with.

    This is torch's choice, which is OMP_NUM_THREADS or the number of physical cores, but at most the number
    of processors that the process may use by its affinity and by the quota of its control group (containers).
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(torch.get_num_threads(), allowed, _cgroup_cpus(_CGROUPS) or allowed))


def _cgroup_cpus(root: Path) -> int | None:
    """Return the quota of the control group in processors, rounded up; None if it has none.

    It is read from version 2 (Documentation/admin-guide/cgroup-v2.rst, cpu.max), else from version 1.
    """
    try:
        quota, period = (root / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (root / "cpu/cpu.cfs_quota_us").read_text().strip()
            period = (root / "cpu/cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    if not (quota.isdigit() and period.isdigit() and int(period)):  # "max" or -1: no quota
        return None
    return max(1, math.ceil(int(quota) / int(period)))
