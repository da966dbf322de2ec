"""The tokens that reach a mass by compiled code; torch remains its oracle."""

import ctypes

import torch
from torch import Tensor

from engine.native.library import compiled
from engine.native.obstacles import find_obstacle
from engine.native.structures import MassCall


def can_keep(weights: Tensor) -> bool:
    """Return whether `keep_by_buckets` takes these weights."""
    obstacle = find_obstacle(weights.device, weights.dtype, dtypes=(torch.float32,))
    return obstacle is None and weights.is_contiguous()


def keep_by_buckets(weights: Tensor, keys: Tensor, wanted: Tensor) -> None:
    """Set the weights that do not serve to reach the wanted masses to 0, as `keep_by_sorting` does.

    weights: [n, m] float32, changed in place. keys: [n, m] int32, not negative. wanted: [n] float64.
    """
    assert keys.is_contiguous() and wanted.dtype == torch.float64
    num_rows, size = weights.shape
    call = MassCall(
        *(part.data_ptr() for part in (weights, keys, wanted)),
        *(num_rows, size, max(1, min(torch.get_num_threads(), num_rows))),
    )
    compiled().verbatim_keep_masses(ctypes.byref(call))
