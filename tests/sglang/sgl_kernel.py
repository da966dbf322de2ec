"""A stand-in for SGLang's compiled kernels, with which its own torch code serves on a CPU without AMX.

No package has these kernels for CPUs, and they need AVX-512. install.sh puts this file where SGLang imports
them from. All names can be imported; the one kernel that the torch code has no replacement for is the hash
from which a seed draws its tokens.
"""

from collections.abc import Callable
from typing import Any, Final, Never

import torch

_MASK: Final = 0xFFFFFFFF
_LIBRARY: Final = torch.library.Library("sgl_kernel", "DEF")


def _rotated(bits: torch.Tensor, num: int) -> torch.Tensor:
    return ((bits << num) | (bits >> (32 - num))) & _MASK


def _mixed(digest: torch.Tensor, block: torch.Tensor) -> torch.Tensor:
    block = _rotated(block * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
    return (_rotated(digest ^ block, 13) * 5 + 0xE6546B64) & _MASK


def murmur_hash32(seed: torch.Tensor, positions: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    """Return MurmurHash3 (x86, 32 bits) of each seed, its position and each column.

    seed [n], uint64; positions [n]; columns [m]; the result [n, m], uint32.
    """
    seeds = seed.to(torch.int64)[:, None]
    digest = torch.zeros_like(seeds)
    for block in (seeds & _MASK, (seeds >> 32) & _MASK, positions.to(torch.int64)[:, None], columns[None]):
        digest = _mixed(digest, block.to(torch.int64))
    digest = digest ^ 16  # bytes in all
    digest = (digest ^ (digest >> 16)) * 0x85EBCA6B & _MASK
    digest = (digest ^ (digest >> 13)) * 0xC2B2AE35 & _MASK
    return (digest ^ (digest >> 16)).to(torch.uint32)


_LIBRARY.define("murmur_hash32_cpu(Tensor seed, Tensor positions, Tensor col_indices) -> Tensor")
_LIBRARY.impl("murmur_hash32_cpu", murmur_hash32, "CPU")


def __getattr__(name: str) -> Callable[..., Never]:
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*_: Any, **__: Any) -> Never:
        raise NotImplementedError(f"sgl_kernel.{name} was not compiled for this machine")

    return missing
