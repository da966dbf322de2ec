"""The sizes of the KV cache and of the recurrent states, by what is free of a device's memory."""

from typing import NamedTuple

import torch

from engine.config import EngineConfig
from engine.host.machine import free_memory, total_memory
from engine.port.errors import ModelNotSupported

# Shares of the memory that is free once the weights are loaded; the rest is for activations, logits and other
# processes, or for what fragments it where the memory of steps was measured.
_SHARE_OF_CUDA = 0.8
_SHARE_OF_CUDA_MEASURED = 0.9
_SHARE_OF_HOST = 0.4
# The share of that which recurrent states take, before the KV cache is sized.
_SHARE_OF_STATES = 0.25
_SNAPSHOTS_A_SEQUENCE = 4


class StepMemory(NamedTuple):
    """The memory that steps take in addition to weights and caches, as measured.

    num_bytes: the most at the same time. is_bounded: whether nothing else grows with what requests ask for,
    as copies of keys do, or the encoders of media.
    """

    num_bytes: int
    is_bounded: bool


class CacheSizes(NamedTuple):
    """The memory that an engine keeps of its sequences.

    num_blocks, kv_bytes: of the KV cache. num_state_slots, state_bytes: of recurrent states; 0 without such
    layers. max_num_sequences: the sequences that may run at the same time.
    """

    num_blocks: int
    kv_bytes: int
    num_state_slots: int
    state_bytes: int
    max_num_sequences: int


def choose_cache_sizes(
    config: EngineConfig,
    block_bytes: int,
    slot_bytes: int | None,
    max_total_tokens: int,
    device: torch.device,
    *,
    reserved_bytes: int = 0,
    steps: StepMemory | None = None,
    keeps_snapshots: bool = True,
) -> CacheSizes:
    """Return the sizes of the KV cache and of the recurrent states, which are to be allocated next.

    block_bytes: the memory of a block. slot_bytes: of one sequence's recurrent state; None without such
    layers. reserved_bytes: what is free now and will be taken before, as by weights. steps: None if they were
    not measured. keeps_snapshots: whether there are states besides those of sequences.
    Raises ModelNotSupported as `choose_num_slots` and `choose_num_blocks` do.
    """
    num_slots, max_num_sequences = 0, config.max_num_sequences
    if slot_bytes is not None:
        num_slots, max_num_sequences = choose_num_slots(
            config.max_num_sequences,
            slot_bytes,
            device,
            reserved_bytes=reserved_bytes,
            keeps_snapshots=keeps_snapshots,
        )
    state_bytes = num_slots * (slot_bytes or 0)
    num_blocks = choose_num_blocks(
        config,
        block_bytes,
        max_total_tokens,
        device,
        reserved_bytes=reserved_bytes + state_bytes,
        steps=steps,
    )
    return CacheSizes(num_blocks, num_blocks * block_bytes, num_slots, state_bytes, max_num_sequences)


def choose_num_blocks(
    config: EngineConfig,
    block_bytes: int,
    max_total_tokens: int,
    device: torch.device,
    *,
    reserved_bytes: int = 0,
    steps: StepMemory | None = None,
) -> int:
    """Return the number of KV blocks that the config asks for.

    block_bytes, reserved_bytes, steps: as of `choose_cache_sizes`.
    By default it is a share of the free memory, at most what `max_num_sequences` full contexts can use.
    Raises ModelNotSupported if the cache is larger than the memory, or no memory is left for one.
    """
    if config.num_kv_blocks is not None:
        return _checked(config.num_kv_blocks, block_bytes, config.block_size, device)
    if config.kv_cache_bytes is not None:
        num_blocks = max(1, config.kv_cache_bytes // max(block_bytes, 1))
        return _checked(num_blocks, block_bytes, config.block_size, device)
    free = free_bytes(device, reserved_bytes, steps)
    if free < block_bytes:
        besides = "" if steps is None else f", besides the {_gib(steps.num_bytes)} of a step"
        raise ModelNotSupported(
            f"too little memory is free for a key-value cache: its share is {max(free, 0) / 2**20:,.1f} MiB"
            f"{besides}, and {config.block_size} tokens take {block_bytes / 2**20:,.1f} MiB"
        )
    blocks_a_sequence = -(-max_total_tokens // config.block_size)
    wanted = config.max_num_sequences * blocks_a_sequence
    return min(free // block_bytes, wanted) if block_bytes else wanted


class NumSlots(NamedTuple):
    """The number of slots for recurrent states, and of the sequences that own one at the same time."""

    num_slots: int
    num_sequences: int


def choose_num_slots(
    max_num_sequences: int,
    slot_bytes: int,
    device: torch.device,
    *,
    reserved_bytes: int = 0,
    keeps_snapshots: bool = True,
) -> NumSlots:
    """Return the number of state slots that a share of the free memory holds.

    Up to `max_num_sequences` are for sequences, and at most as many again for each sequence's snapshots as
    `_SNAPSHOTS_A_SEQUENCE` says. reserved_bytes, keeps_snapshots: as of `choose_cache_sizes`.
    Raises ModelNotSupported if not even one sequence and its snapshot fit.
    """
    most_snapshots = _SNAPSHOTS_A_SEQUENCE if keeps_snapshots else 0
    states_a_sequence = min(2, 1 + most_snapshots)
    num_slots = int(free_bytes(device, reserved_bytes) * _SHARE_OF_STATES) // max(slot_bytes, 1)
    if num_slots < states_a_sequence:
        raise ModelNotSupported(
            f"too little memory is free for recurrent states: one takes {slot_bytes / 2**20:,.1f} MiB"
        )
    num_sequences = min(max_num_sequences, max(1, num_slots // states_a_sequence))
    return NumSlots(min(num_slots, num_sequences * (1 + most_snapshots)), num_sequences)


def _checked(num_blocks: int, block_bytes: int, block_size: int, device: torch.device) -> int:
    total = total_bytes(device)
    if num_blocks * block_bytes > total:
        wanted = (
            f"a key-value cache of {num_blocks * block_size:,} tokens takes {_gib(num_blocks * block_bytes)}"
        )
        raise ModelNotSupported(f"{wanted}, and {device} has {_gib(total)} of memory")
    return num_blocks


def _gib(num_bytes: int) -> str:
    return f"{num_bytes / 2**30:,.1f} GiB"


def total_bytes(device: torch.device) -> int:
    """Return the memory of the device in bytes, in use or not; of a host, what this process may use."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    return total_memory()


def free_bytes(device: torch.device, reserved_bytes: int = 0, steps: StepMemory | None = None) -> int:
    """Return the cache's share of the device's free memory in bytes. reserved_bytes, steps: as above."""
    if device.type != "cuda":
        return int((free_memory() - reserved_bytes) * _SHARE_OF_HOST)
    free = torch.cuda.mem_get_info(device)[0] - reserved_bytes
    if steps is None:
        return int(free * _SHARE_OF_CUDA)
    share = _SHARE_OF_CUDA_MEASURED if steps.is_bounded else _SHARE_OF_CUDA
    return int((free - steps.num_bytes) * share)
