"""The number of threads to compute with."""

import torch

from engine.host.machine import num_processors


def choose_num_threads() -> int:
    """Return the number of threads to compute with.

    This is torch's choice, which is OMP_NUM_THREADS or the number of physical cores, but at most the number
    of processors that the process may use by its affinity and by the quota of its control group (containers).
    """
    return max(1, min(torch.get_num_threads(), num_processors()))
