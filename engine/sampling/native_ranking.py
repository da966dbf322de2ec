"""The best token of each row by compiled code; torch remains its oracle."""

import ctypes

import torch
from torch import Tensor

from engine.native.library import compiled
from engine.native.obstacles import find_obstacle
from engine.native.structures import BestCall


def can_rank(logits: Tensor) -> bool:
    """Return whether `best_of_rows` takes these logits."""
    is_dense = logits.stride(1) == 1 and logits.shape[1] > 0
    return is_dense and find_obstacle(logits.device, logits.dtype) is None


def best_of_rows(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Return the highest value and its id in each row of logits [n, v], as `best_tokens` does."""
    num_rows, vocab_size = logits.shape
    values = torch.empty(num_rows, dtype=torch.float32)
    ids = torch.empty(num_rows, dtype=torch.int64)
    call = BestCall(
        *(part.data_ptr() for part in (logits, values, ids)),
        *(num_rows, logits.stride(0), vocab_size),
        logits.dtype == torch.bfloat16,
        max(1, min(torch.get_num_threads(), num_rows)),
    )
    compiled().verbatim_best(ctypes.byref(call))
    return values, ids
