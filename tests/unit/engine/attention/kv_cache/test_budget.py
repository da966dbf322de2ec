"""The sizes of caches are what the free memory holds, and no more than sequences can use."""

import pytest
import torch

from engine.attention.kv_cache import budget
from engine.attention.kv_cache.budget import (
    CacheSizes,
    NumSlots,
    StepMemory,
    choose_cache_sizes,
    choose_num_slots,
)
from engine.config import EngineConfig
from engine.port.errors import ModelNotSupported

_CPU = torch.device("cpu")
# A token takes 2 * (8 + 8) * 4 = 128 bytes, a block 2,048.
_BLOCK_BYTES = 2048


def free(monkeypatch: pytest.MonkeyPatch, num_bytes: int) -> None:
    """Let the caches' share of the host's memory be so many bytes, less what is reserved."""
    monkeypatch.setattr(budget, "free_bytes", lambda device, reserved=0, steps=None: num_bytes - reserved)


@pytest.mark.parametrize(
    ("num_fitting", "expected"),
    [
        (100, NumSlots(20, 4)),  # enough for four sequences and four snapshots of each
        (13, NumSlots(13, 4)),
        (5, NumSlots(5, 2)),  # a snapshot for each, at least
        (2, NumSlots(2, 1)),
    ],
)
def test_states_take_a_quarter_of_what_is_free(
    num_fitting: int, expected: NumSlots, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 4 * num_fitting * 100 + 399)
    assert choose_num_slots(4, 100, _CPU) == expected


def test_what_is_reserved_holds_no_states(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 4 * 7 * 100)
    assert choose_num_slots(4, 100, _CPU, reserved_bytes=800) == NumSlots(5, 2)


def test_a_state_without_room_for_its_snapshot_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 4 * 2**20 * 2 - 1)
    with pytest.raises(ModelNotSupported, match=r"free for recurrent states: one takes 1\.0 MiB"):
        choose_num_slots(4, 2**20, _CPU)


def test_the_kv_cache_takes_what_states_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 100 * _BLOCK_BYTES)
    config = EngineConfig(model="m", max_num_sequences=2, block_size=16)
    without = choose_cache_sizes(config, _BLOCK_BYTES, None, 10_000, _CPU)
    assert without == CacheSizes(100, 100 * _BLOCK_BYTES, 0, 0, 2)
    state = choose_cache_sizes(config, _BLOCK_BYTES, _BLOCK_BYTES, 10_000, _CPU)
    assert state == CacheSizes(90, 90 * _BLOCK_BYTES, 10, 10 * _BLOCK_BYTES, 2)
    later = choose_cache_sizes(config, _BLOCK_BYTES, None, 10_000, _CPU, reserved_bytes=30 * _BLOCK_BYTES)
    assert later.num_blocks == 70


def test_a_cache_is_no_larger_than_all_sequences_can_use(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 100 * _BLOCK_BYTES)
    config = EngineConfig(model="m", max_num_sequences=2, block_size=16)
    assert choose_cache_sizes(config, _BLOCK_BYTES, None, 33, _CPU).num_blocks == 2 * 3


@pytest.mark.parametrize(
    ("steps", "num_blocks"),
    [
        (None, 8_000),
        (StepMemory(2_000 * _BLOCK_BYTES, is_bounded=True), 7_200),
        (StepMemory(2_000 * _BLOCK_BYTES, is_bounded=False), 6_400),
    ],
)
def test_a_gpus_cache_takes_a_share_of_what_steps_leave(
    steps: StepMemory | None, num_blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (10_500 * _BLOCK_BYTES, 10**9))
    config = EngineConfig(model="m", max_num_sequences=2)
    sizes = choose_cache_sizes(
        config,
        _BLOCK_BYTES,
        None,
        10**6,
        torch.device("cuda"),
        reserved_bytes=500 * _BLOCK_BYTES,
        steps=steps,
    )
    assert sizes.num_blocks == num_blocks


def test_steps_that_leave_no_room_are_in_the_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (2**30, 2**33))
    steps, cuda = StepMemory(2 * 2**30, is_bounded=True), torch.device("cuda")
    with pytest.raises(
        ModelNotSupported, match=r"its share is 0\.0 MiB, besides the 2\.0 GiB of a step, and 16"
    ):
        choose_cache_sizes(EngineConfig(model="m"), _BLOCK_BYTES, None, 100, cuda, steps=steps)
