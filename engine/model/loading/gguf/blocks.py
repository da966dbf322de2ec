"""The numbers that the blocks of a GGUF file stand for, by compiled code for the usual kinds.

The `gguf` package computes all kinds, in NumPy: 30 to 150 million numbers in a second on a core, where
compiled code reads 0.4 to 7 billion. Both give the same bits.
"""

import ctypes
from typing import Any

import numpy as np
import torch
from gguf import GGMLQuantizationType, dequantize
from torch import Tensor

from engine.native.library import loaded


def read_blocks(blocks: np.ndarray[Any, Any], kind: GGMLQuantizationType, block: tuple[int, int]) -> Tensor:
    """Return the numbers of some blocks as float32.

    blocks: bytes, contiguous. block: the numbers of one, and its bytes.
    """
    num_blocks = len(blocks) // block[1]
    if kind == GGMLQuantizationType.F32:
        return torch.from_numpy(blocks.view(np.float32).copy())
    if kind == GGMLQuantizationType.F16:
        return torch.from_numpy(blocks.view(np.float16).copy()).float()
    if kind == GGMLQuantizationType.BF16:
        return torch.from_numpy(blocks.view(np.int16).copy()).view(torch.bfloat16).float()
    numbers = torch.empty(num_blocks * block[0])
    library = loaded().library
    if library is not None and library.verbatim_gguf_numbers(
        ctypes.c_int32(kind),
        ctypes.c_void_p(blocks.ctypes.data),
        ctypes.c_int64(num_blocks),
        ctypes.c_void_p(numbers.data_ptr()),
        ctypes.c_int32(1),  # as many as are read at once fit one core's cache
    ):
        return numbers
    with np.errstate(all="ignore"):  # a hostile file's scales may be anything, which the caller finds
        return torch.from_numpy(dequantize(blocks, kind))
