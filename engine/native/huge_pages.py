"""Memory for weights, in pages of 2 MiB where Linux gives them on request.

A step for one sequence reads every weight once. In pages of 4 KiB the processor looks up an address every 64
cache lines, which takes it a tenth of that time (docs/cpu_profile.md).

numpy asks for such pages too, but of memory that malloc may have handed out before, in small ones.
"""

import ctypes
import mmap
from math import prod

import torch
from torch import Tensor

_PAGE = 1 << 21


def empty_tensor(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """A dense tensor on the CPU, its contents undefined; below 2 MiB, or without such pages, ordinary."""
    num_bytes = prod(shape) * dtype.itemsize
    advice = getattr(mmap, "MADV_HUGEPAGE", None)  # Linux alone has it
    if advice is None or num_bytes < _PAGE:
        return torch.empty(shape, dtype=dtype)
    # Private: of memory that may be shared Linux makes no huge pages unless it is told to elsewhere.
    memory = mmap.mmap(-1, num_bytes + _PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    first = -ctypes.addressof(ctypes.c_char.from_buffer(memory)) % _PAGE
    try:
        # Of whole pages only: a last one that is half used would take 2 MiB all the same.
        memory.madvise(advice, first, num_bytes // _PAGE * _PAGE)
    except OSError:  # a kernel that was built without them
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(memory, dtype=dtype, count=prod(shape), offset=first).view(shape)
