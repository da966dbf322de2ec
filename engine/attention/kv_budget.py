"""The choice of the KV cache's size, in blocks."""

import os

import torch

from engine.attention.kv_geometry import KVGeometry
from engine.config import EngineConfig
from engine.errors import ModelNotSupported

# Shares of the memory that is free once the weights are loaded; the rest is for activations, logits and other
# processes.
_SHARE_OF_CUDA = 0.8
_SHARE_OF_HOST = 0.4


def choose_num_blocks(
    config: EngineConfig, geometry: KVGeometry, max_total_tokens: int, device: torch.device
) -> int:
    """Return the number of KV blocks that the config asks for.

    By default it is a share of the free memory, at most what `max_num_sequences` full contexts can use.
    Raises ModelNotSupported if the cache is larger than the memory, or no memory is left for one.
    """
    block_bytes = geometry.block_bytes(config.block_size)
    if config.num_kv_blocks is not None:
        return _checked(config.num_kv_blocks, block_bytes, config.block_size, device)
    if config.kv_cache_bytes is not None:
        return _checked(max(1, config.kv_cache_bytes // block_bytes), block_bytes, config.block_size, device)
    free = _free_bytes(device)
    if free < block_bytes:
        raise ModelNotSupported(
            f"too little memory is free for a key-value cache: its share is {free / 2**20:,.1f} MiB, and "
            f"{config.block_size} tokens take {block_bytes / 2**20:,.1f} MiB"
        )
    blocks_a_sequence = -(-max_total_tokens // config.block_size)
    return min(free // block_bytes, config.max_num_sequences * blocks_a_sequence)


def _checked(num_blocks: int, block_bytes: int, block_size: int, device: torch.device) -> int:
    total = _total_bytes(device)
    if num_blocks * block_bytes > total:
        wanted = (
            f"a key-value cache of {num_blocks * block_size:,} tokens takes {_gib(num_blocks * block_bytes)}"
        )
        raise ModelNotSupported(f"{wanted}, and {device} has {_gib(total)} of memory")
    return num_blocks


def _gib(num_bytes: int) -> str:
    return f"{num_bytes / 2**30:,.1f} GiB"


def _total_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _free_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0] * _SHARE_OF_CUDA)
    return int(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * _SHARE_OF_HOST)
