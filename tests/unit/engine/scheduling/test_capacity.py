"""A waiting sequence may begin where a place and blocks are free, for it and for whom it overtakes."""

import pytest

from engine.port.request import Prompt
from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.block_pool import BlockPool, BlockTable
from engine.scheduling.capacity import _MAX_ADMISSIBLE, Capacity
from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.state_slots import StateSlots

_BLOCK_SIZE = 4


@pytest.fixture
def pool() -> BlockPool:
    return BlockPool(8, _BLOCK_SIZE)


def waiting(pool: BlockPool, num_tokens: int, *, arrival: int = 0, num_siblings: int = 0) -> Sequence:
    prompt = Prompt(tuple(range(num_tokens)))
    keys = BlockKeys((), _BLOCK_SIZE, prompt.media)
    sequence = Sequence((0, arrival, 0), list(prompt.token_ids), num_tokens, BlockTable(pool), keys)
    sequence.num_siblings = num_siblings
    return sequence


def capacity(
    pool: BlockPool, states: SequenceStates | None = None, *, prefix_caching: bool = True
) -> Capacity:
    return Capacity(pool, states, max_num_sequences=3, prefix_caching=prefix_caching)


def cached(pool: BlockPool, num_tokens: int) -> list[int]:
    """Put the full blocks of so many tokens into the prefix cache, without an owner, and return them."""
    sequence = waiting(pool, num_tokens)
    sequence.table.grow(num_tokens, write_from=0)
    blocks = sequence.table.block_ids[: num_tokens // _BLOCK_SIZE]
    for key, block in zip(sequence.keys.of(sequence.token_ids, len(blocks)), blocks, strict=True):
        pool.cache.insert(key, block)
    sequence.table.release()
    return blocks


def test_a_sequence_needs_a_block_for_each_four_tokens(pool: BlockPool) -> None:
    for num_tokens, fits in ((32, True), (33, False)):
        sequence = waiting(pool, num_tokens)
        assert capacity(pool).fits(sequence, [], sequence, []) is fits


def test_a_sequence_needs_a_place_for_each_sibling(pool: BlockPool) -> None:
    running = [waiting(pool, 4, num_siblings=1)]
    for num_siblings, fits in ((0, True), (1, False)):
        sequence = waiting(pool, 4, arrival=1, num_siblings=num_siblings)
        assert capacity(pool).fits(sequence, [], sequence, running) is fits


def test_who_overtakes_the_first_leaves_its_blocks(pool: BlockPool) -> None:
    first = waiting(pool, 20)
    for num_tokens, fits in ((12, True), (13, False)):
        assert capacity(pool).fits(waiting(pool, num_tokens, arrival=1), [], first, []) is fits


def test_cached_blocks_are_found_but_for_the_last_token(pool: BlockPool) -> None:
    blocks = cached(pool, 8)
    assert capacity(pool).find_prefix(waiting(pool, 9)) == blocks
    assert capacity(pool).find_prefix(waiting(pool, 8)) == blocks[:1]
    assert capacity(pool, prefix_caching=False).find_prefix(waiting(pool, 9)) == []
    reader = waiting(pool, 9)
    reader.reads_cache = False
    assert capacity(pool).find_prefix(reader) == []


def test_cached_blocks_are_of_use_as_far_as_a_state_is_kept(pool: BlockPool) -> None:
    blocks, states = cached(pool, 12), SequenceStates(StateSlots(2), _BLOCK_SIZE)
    sequence = waiting(pool, 13)
    assert capacity(pool, states).find_prefix(sequence) == []
    key = sequence.keys.of(sequence.token_ids, 2)[-1]
    states.slots.begin_snapshot(key, 8)
    states.slots.finish_snapshot(key)
    assert capacity(pool, states).find_prefix(sequence) == blocks[:2]


def test_none_may_begin_if_the_first_cannot(pool: BlockPool) -> None:
    small, large = waiting(pool, 4), waiting(pool, 40)
    assert capacity(pool).admissible([large, small], []) == {}
    cached(pool, 4)
    sequences = [waiting(pool, 5, arrival=0), waiting(pool, 40, arrival=1), waiting(pool, 6, arrival=2)]
    assert capacity(pool).admissible(sequences, []) == {sequences[0]: 1, sequences[2]: 2}


def test_a_step_looks_at_a_bounded_number_of_those_that_wait(pool: BlockPool) -> None:
    sequences = [waiting(pool, 1, arrival=number) for number in range(_MAX_ADMISSIBLE + 5)]
    assert list(capacity(pool).admissible(sequences, [])) == sequences[:_MAX_ADMISSIBLE]
