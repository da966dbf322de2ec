"""The best tokens of each row, and the logarithms of sums, by compiled code; torch remains their oracle."""

import ctypes

import torch
from torch import Tensor

from engine.native.library import compiled
from engine.native.obstacles import find_obstacle
from engine.native.structures import BestCall, LogSumsCall


def can_rank(logits: Tensor) -> bool:
    """Return whether compiled code takes these logits, to rank or to draw from."""
    is_dense = logits.stride(1) == 1 and logits.shape[1] > 0
    return is_dense and find_obstacle(logits.device, logits.dtype) is None


def best_of_rows(logits: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k best tokens of each row of logits [n, v], as `top_tokens` does; k is 1 to v."""
    num_rows, vocab_size = logits.shape
    values = torch.empty(num_rows, k, dtype=torch.float32)
    ids = torch.empty(num_rows, k, dtype=torch.int64)
    call = BestCall(
        *(part.data_ptr() for part in (logits, values, ids)),
        *(num_rows, logits.stride(0), vocab_size, k),
        logits.dtype == torch.bfloat16,
        max(1, min(torch.get_num_threads(), num_rows)),
    )
    compiled().verbatim_best(ctypes.byref(call))
    return values, ids


def log_sums_of_rows(logits: Tensor) -> Tensor:
    """Return log(sum(exp(x))) of each row x: [n, v] -> [n] float64."""
    num_rows, vocab_size = logits.shape
    sums = torch.empty(num_rows, dtype=torch.float64)
    call = LogSumsCall(
        *(logits.data_ptr(), sums.data_ptr(), num_rows, logits.stride(0), vocab_size),
        logits.dtype == torch.bfloat16,
        max(1, min(torch.get_num_threads(), num_rows)),
    )
    compiled().verbatim_log_sums(ctypes.byref(call))
    return sums
