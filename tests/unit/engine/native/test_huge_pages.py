"""Weights lie in whole pages of 2 MiB, or in ordinary memory; a tensor keeps its memory."""

import gc
import mmap
from pathlib import Path

import pytest
import torch

from engine.native.huge_pages import empty_tensor

PAGE = 1 << 21
NUM_NUMBERS = 3 * PAGE // 2 + 5  # of two bytes: three pages and ten bytes

linux_with_huge_pages = pytest.mark.skipif(
    not hasattr(mmap, "MADV_HUGEPAGE") or not Path("/sys/kernel/mm/transparent_hugepage").exists(),
    reason="no huge pages on request",
)


@pytest.mark.parametrize("shape", [(7, 3), (NUM_NUMBERS,), (5, PAGE)], ids=["small", "odd", "two dimensions"])
def test_a_tensor_holds_what_was_written_to_its_ends(shape: tuple[int, ...]) -> None:
    tensor = empty_tensor(shape, torch.bfloat16)
    assert (tuple(tensor.shape), tensor.dtype, tensor.is_contiguous()) == (shape, torch.bfloat16, True)
    expected = torch.randn(shape).bfloat16()
    tensor.copy_(expected)
    gc.collect(1)  # what this test has made is young
    assert torch.equal(tensor, expected)


@linux_with_huge_pages
def test_a_large_tensor_begins_at_a_page_and_has_no_more_of_them_than_it_fills() -> None:
    tensor = empty_tensor((NUM_NUMBERS,), torch.bfloat16).zero_()
    assert tensor.data_ptr() % PAGE == 0
    assert huge_bytes_advised(tensor.data_ptr()) == 3 * PAGE


def huge_bytes_advised(address: int) -> int:
    """Length of the mapping that begins there, if it is private and huge pages were asked for in it."""
    begins, kb, flags = "", 0, ""
    for line in Path("/proc/self/smaps").read_text().splitlines():
        word = line.split()[0]
        if "-" in word and not word.endswith(":"):
            begins = word.split("-")[0]
        elif int(begins, 16) == address and word == "Size:":
            kb = int(line.split()[1])
        elif int(begins, 16) == address and word == "VmFlags:":
            flags = line
    return kb * 1024 if {"hg", "sh"} & set(flags.split()) == {"hg"} else 0


@linux_with_huge_pages
def test_without_huge_pages_in_the_kernel_memory_is_ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mmap, "MADV_HUGEPAGE", 9999)
    tensor = empty_tensor((NUM_NUMBERS,), torch.bfloat16).fill_(1)
    assert bool((tensor == 1).all())
