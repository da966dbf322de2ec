"""Attention of prefill chunks by compiled code; torch remains its oracle."""

import ctypes

import torch
from torch import Tensor

from engine.attention.plan import ChunkKeys
from engine.attention.scores import Scores
from engine.native.bfloat16 import compiled_bfloat16_obstacle
from engine.native.library import compiled
from engine.native.obstacles import find_obstacle
from engine.native.structures import ChunksCall
from engine.port.info.kernels import Obstacle

_NO_WINDOW = 1 << 40  # keys: more than any sequence has


def chunk_obstacle(device: torch.device, dtype: torch.dtype) -> Obstacle | None:
    """Return why `attend_chunks` does not take pages on this device of this dtype; None if it does."""
    obstacle = find_obstacle(device, dtype)
    if obstacle is None and dtype == torch.bfloat16:
        obstacle = compiled_bfloat16_obstacle()
    return obstacle


def can_attend(device: torch.device, dtype: torch.dtype) -> bool:
    """Return whether `attend_chunks` takes pages on this device of this dtype."""
    return chunk_obstacle(device, dtype) is None


def attend_chunks(
    query: Tensor, keys: Tensor, values: Tensor, chunks: ChunkKeys, scores: Scores, output: Tensor
) -> None:
    """Attend from the rows of all chunks to the keys of their sequences.

    query: [num_heads, num_rows, key_dim] of the whole batch. keys, values: pages as in `KVPages`.
    output: [num_rows, num_heads, value_dim], dense; the rows of the chunks are written. All have one dtype,
    float32 or bfloat16.
    """
    assert query.dtype == keys.dtype == values.dtype == output.dtype
    assert query.stride(2) == 1 and output.is_contiguous() and keys.is_contiguous() and values.is_contiguous()
    sinks = scores.dense_sinks()
    call = ChunksCall(
        query.data_ptr(),
        keys.data_ptr(),
        values.data_ptr(),
        output.data_ptr(),
        chunks.blocks.data_ptr(),
        chunks.places.data_ptr(),
        None if sinks is None else sinks.data_ptr(),
        query.stride(0),
        query.stride(1),
        len(chunks.places),
        query.shape[0],
        keys.shape[2],
        keys.shape[3],
        values.shape[3],
        keys.shape[1],
        _NO_WINDOW if chunks.window is None else chunks.window,
        scores.scaling,
        scores.softcap or 0.0,
        query.dtype == torch.bfloat16,
        torch.get_num_threads(),
    )
    compiled().verbatim_chunks(ctypes.byref(call))
