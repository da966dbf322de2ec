"""The plan of a step names the rows and pages of its sequences, in sizes of which there are few."""

from itertools import pairwise

import pytest
import torch

from engine.attention.varlen.plan import VarlenPlan
from tests.support.paged_batches import paged_batch

CPU = torch.device("cpu")


def plan_of(ranges: list[tuple[int, int]], block_size: int = 16) -> VarlenPlan:
    return VarlenPlan.build(paged_batch(ranges, block_size), block_size, CPU)


def test_a_plan_names_rows_keys_and_pages() -> None:
    batch = paged_batch([(9, 10), (20, 24), (0, 3)], 8)
    plan = VarlenPlan.build(batch, 8, CPU)
    assert plan.query_starts.tolist() == [0, 1, 5, 8, 8]  # one more sequence, without rows
    assert plan.num_keys.tolist() == [10, 24, 3, 0]
    assert plan.key_starts.tolist() == [0, 10, 34, 37, 37]
    spans = batch.decodes + batch.chunks
    width = plan.block_table.shape[1]
    assert plan.block_table.tolist() == [
        *(span.blocks + [0] * (width - len(span.blocks)) for span in spans),
        [0] * width,
    ]
    assert (plan.max_q, plan.max_k) == (4, 8 * width)


def test_parts_of_the_upload_are_aligned_as_kernels_want_them() -> None:
    plan = plan_of([(9, 10), (20, 24), (0, 3)])
    parts = (plan.query_starts, plan.key_starts, plan.num_keys, plan.block_table)
    addresses = [part.data_ptr() for part in parts]
    assert all((after - before) % 128 == 0 for before, after in pairwise(addresses))
    assert all(part.dtype == torch.int32 and part.is_contiguous() for part in parts)


@pytest.mark.parametrize("block_size", [16, 256])
def test_sequences_of_any_number_and_length_have_one_of_a_few_sizes(block_size: int) -> None:
    sizes = set()
    for number in range(1, 65):
        for length in (1, 700, 1025, 5000):
            plan = plan_of([(length - 1, length)] * number, block_size)
            sizes.add((len(plan.num_keys), plan.max_k))
            assert plan.max_k >= length and plan.max_k == plan.block_table.shape[1] * block_size
    numbers, lengths = ({size[place] for size in sizes} for place in range(2))
    assert numbers == {1, 2, 4, 8, 16, 32, 64}
    assert lengths == {1024, 2048, 8192}


def test_a_step_that_only_decodes_has_one_row_a_sequence() -> None:
    assert plan_of([(9, 10), (20, 21)]).max_q == 1
    assert [plan_of([(0, number)]).max_q for number in (2, 3, 200, 512)] == [2, 4, 256, 512]
