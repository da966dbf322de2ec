"""Memory for weights in huge pages of 2 MiB, where Linux provides them.

A step for one sequence reads every weight once. With pages of 4 KiB the processor translates an address every
64 cache lines, which takes a tenth of that time (docs/performance/linear-layers.md).

numpy requests huge pages too, but for memory from malloc, which may already be in small pages.
"""

import ctypes
import mmap
import sys
from contextlib import suppress
from math import prod

import torch
from torch import Tensor

from engine.native.memory_reserve import MemoryReserve

_PAGE = 1 << 21
_FEWEST_RESERVED_BYTES = 1 << 18  # smaller tensors are in ordinary memory

_reserves: list[MemoryReserve] = []


def reserve_memory(num_bytes: int) -> MemoryReserve | None:
    """Let Linux provide memory for coming tensors, until `end_reserve`; None where it cannot be had."""
    if sys.platform != "linux":
        return None
    with suppress(OSError):
        _reserves.append(MemoryReserve(num_bytes))
        return _reserves[-1]
    return None


def end_reserve() -> None:
    """Return to Linux what no tensor took."""
    while _reserves:
        _reserves.pop().end()


def empty_tensor(shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """Return an uninitialised contiguous tensor on the CPU, in huge pages if it has at least 2 MiB."""
    num_bytes = prod(shape) * dtype.itemsize
    for reserve in _reserves if num_bytes >= _FEWEST_RESERVED_BYTES else ():
        if (reserved := reserve.take(num_bytes)) is not None:
            return torch.frombuffer(reserved, dtype=dtype, count=prod(shape)).view(shape)
    advice = getattr(mmap, "MADV_HUGEPAGE", None)  # only Linux has it
    if advice is None or num_bytes < _PAGE:
        return torch.empty(shape, dtype=dtype)
    # Private: by default Linux does not use huge pages for shared memory.
    memory = mmap.mmap(-1, num_bytes + _PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    first = -ctypes.addressof(ctypes.c_char.from_buffer(memory)) % _PAGE
    try:
        # Only whole pages: a partly used last one would also take 2 MiB.
        memory.madvise(advice, first, num_bytes // _PAGE * _PAGE)
    except OSError:  # the kernel was built without huge pages
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(memory, dtype=dtype, count=prod(shape), offset=first).view(shape)
