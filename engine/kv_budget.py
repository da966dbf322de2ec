"""How many blocks the KV cache gets."""

import os

import torch

from engine.config import EngineConfig
from engine.kv_geometry import KVGeometry

# Of what is free once the weights are loaded; the rest is for activations, logits and whoever else runs.
_SHARE_OF_CUDA = 0.8
_SHARE_OF_HOST = 0.4


def choose_num_blocks(
    config: EngineConfig, geometry: KVGeometry, max_total_tokens: int, device: torch.device
) -> int:
    """As configured; else a share of free memory, at most what `max_num_sequences` full contexts can use."""
    if config.num_kv_blocks is not None:
        return config.num_kv_blocks
    block_bytes = geometry.block_bytes(config.block_size)
    if config.kv_cache_bytes is not None:
        return max(1, config.kv_cache_bytes // block_bytes)
    blocks_a_sequence = -(-max_total_tokens // config.block_size)
    return max(1, min(_free_bytes(device) // block_bytes, config.max_num_sequences * blocks_a_sequence))


def _free_bytes(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0] * _SHARE_OF_CUDA)
    return int(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * _SHARE_OF_HOST)
