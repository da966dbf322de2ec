"""Memory that is provided ahead is a tensor's own; what nobody took or still needs goes back to Linux."""

import ctypes
import gc
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from engine.native import memory_reserve
from engine.native.huge_pages import empty_tensor, end_reserve, reserve_memory
from engine.native.memory_reserve import MemoryReserve

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux provides memory ahead")

MIB = 1 << 20


@pytest.fixture
def reserve() -> Iterator[MemoryReserve]:
    """Eight MiB, all provided."""
    made = reserve_memory(8 * MIB)
    assert made is not None
    made.wait(60)
    yield made
    end_reserve()


def test_tensors_lie_one_after_another_and_share_no_memory(reserve: MemoryReserve) -> None:
    sizes = [3 * MIB + 5, 2 * MIB]
    tensors = [empty_tensor((size,), torch.uint8).fill_(number) for number, size in enumerate(sizes)]
    assert tensors[1].data_ptr() == tensors[0].data_ptr() + 3 * MIB + 4096
    end_reserve()
    tensors.append(empty_tensor((3, MIB), torch.uint8).fill_(2))
    gc.collect()
    assert all(bool((tensor == number).all()) for number, tensor in enumerate(tensors))


def test_threads_that_take_at_the_same_time_share_no_memory(reserve: MemoryReserve) -> None:
    begin = threading.Barrier(4)

    def take(_: int) -> list[int]:
        begin.wait(10)
        return [ctypes.addressof(memory) for memory in [reserve.take(4096) for _ in range(200)] if memory]

    with ThreadPoolExecutor(4) as threads:
        taken = [address for some in threads.map(take, range(4)) for address in some]
    assert len(set(taken)) == len(taken) == 800


def test_a_tensor_that_is_larger_than_what_is_left_has_memory_of_its_own(reserve: MemoryReserve) -> None:
    first = empty_tensor((7 * MIB,), torch.uint8).fill_(1)
    second = empty_tensor((MIB, 2), torch.uint8).fill_(2)
    assert not 0 <= second.data_ptr() - first.data_ptr() < 8 * MIB
    assert bool((first == 1).all()) and bool((second == 2).all())


def test_memory_goes_back_with_its_tensor_and_the_rest_at_the_end(
    reserve: MemoryReserve, monkeypatch: pytest.MonkeyPatch
) -> None:
    returned: list[tuple[int, int]] = []
    unmap = reserve._unmap

    def record(begin: int, end: int) -> None:
        returned.append((begin, end))
        unmap(begin, end)

    monkeypatch.setattr(reserve, "_unmap", record)
    kept, dropped = (empty_tensor((2 * MIB,), torch.uint8).fill_(1) for _ in range(2))
    first = kept.data_ptr()
    assert returned == []
    del dropped
    gc.collect()
    assert returned == [(first + 2 * MIB, first + 4 * MIB)]
    end_reserve()
    assert returned[1:] == [(first + 4 * MIB, first + 8 * MIB)]
    assert bool((kept == 1).all())


def test_where_linux_cannot_provide_memory_tensors_have_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_reserve, "_POPULATE_WRITE", 9999)
    made = reserve_memory(8 * MIB)
    assert made is not None
    made.wait(60)
    assert made.take(4096) is None
    assert bool((empty_tensor((3, MIB), torch.uint8).fill_(1) == 1).all())
    end_reserve()


def test_more_memory_than_there_is_is_no_reserve() -> None:
    assert reserve_memory(1 << 60) is None
