"""Attention of decoding rows by compiled code; torch remains its oracle."""

import ctypes

import torch
from torch import Tensor

from engine.attention.plan import RaggedKeys
from engine.attention.scores import Scores
from engine.native.library import compiled
from engine.native.obstacles import find_obstacle
from engine.native.structures import DecodeCall
from engine.port.info.kernels import Obstacle


def decode_obstacle(device: torch.device, dtype: torch.dtype) -> Obstacle | None:
    """Return why `decode` does not take pages on this device of this dtype; None if it does."""
    return find_obstacle(device, dtype)


def can_decode(device: torch.device, dtype: torch.dtype) -> bool:
    """Return whether `decode` takes pages on this device of this dtype."""
    return decode_obstacle(device, dtype) is None


def decode(
    query: Tensor, keys: Tensor, values: Tensor, ragged: RaggedKeys, scores: Scores, output: Tensor
) -> None:
    """Attend from each decoding row to the keys of its sequence.

    query: [num_heads, num_rows, key_dim]. keys, values: pages as in `KVPages`. output: [num_rows, num_heads,
    value_dim], dense, which is written. All have one dtype, float32 or bfloat16.
    """
    assert query.dtype == keys.dtype == values.dtype == output.dtype
    assert query.stride(2) == 1 and output.is_contiguous() and keys.is_contiguous() and values.is_contiguous()
    sinks = scores.dense_sinks()
    call = DecodeCall(
        query.data_ptr(),
        keys.data_ptr(),
        values.data_ptr(),
        output.data_ptr(),
        ragged.blocks.data_ptr(),
        ragged.firsts.data_ptr(),
        ragged.lows.data_ptr(),
        ragged.highs.data_ptr(),
        None if sinks is None else sinks.data_ptr(),
        query.stride(0),
        query.stride(1),
        query.shape[1],
        query.shape[0],
        keys.shape[2],
        keys.shape[3],
        values.shape[3],
        keys.shape[1],
        scores.scaling,
        scores.softcap or 0.0,
        query.dtype == torch.bfloat16,
        torch.get_num_threads(),
    )
    compiled().verbatim_decode(ctypes.byref(call))
