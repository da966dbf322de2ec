"""The rows of a vocabulary, cut into blocks of consecutive ids; the last may be shorter."""

from collections.abc import Callable

import torch
from torch import Tensor

# 8 rows of 151,936 logits fit the caches of a CPU. 32 rows take twice the time per row, and 64 rows five
# times, as the process gets so much memory anew from the system each time.
_MAX_LOGITS = 8 * 151_936


def max_rows(logits: Tensor) -> int:
    """Return the number of rows [n, v] to process at once."""
    return max(1, _MAX_LOGITS // logits.shape[1]) if logits.is_cpu else max(1, len(logits))


def block_maxima(values: Tensor, block_size: int) -> Tensor:
    """Return the maximum of each block, [n, v] -> [n, ceil(v / block_size)]; NaN where a block has one."""
    return _reduce(values, block_size, lambda block: block.amax(dim=-1))


def block_sums(values: Tensor, block_size: int) -> Tensor:
    """Return the sum of each block, [n, v] -> [n, ceil(v / block_size)]."""
    return _reduce(values, block_size, lambda block: block.sum(dim=-1))


def row_sums(values: Tensor) -> Tensor:
    """Return the sum of each row, [n, v] -> [n, 1].

    torch divides the sum of a single long row among its threads; the sums of blocks do not depend on that.
    """
    return block_sums(values, 256).sum(dim=-1, keepdim=True)


def block_members(values: Tensor, blocks: Tensor, block_size: int, *, fill: float) -> tuple[Tensor, Tensor]:
    """Return the values and ids of some blocks of each row, both [n, m * block_size].

    values: [n, v]. blocks: [n, m], numbers of blocks. An id past the last one has the value `fill`.
    """
    offsets = torch.arange(block_size, device=values.device)
    ids = (blocks.unsqueeze(-1) * block_size + offsets).flatten(1)
    members = values.gather(1, ids.clamp(max=values.shape[1] - 1))
    return members.masked_fill_(ids >= values.shape[1], fill), ids


def _reduce(values: Tensor, block_size: int, reduce: Callable[[Tensor], Tensor]) -> Tensor:
    num_whole = values.shape[1] // block_size
    size = num_whole * block_size
    whole = reduce(values[:, :size].reshape(len(values), num_whole, block_size))
    if size == values.shape[1]:
        return whole
    return torch.cat([whole, reduce(values[:, size:]).unsqueeze(1)], dim=1)
