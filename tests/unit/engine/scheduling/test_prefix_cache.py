"""The entries that the prefix cache finds, keeps and evicts; stale finds are in test_scheduler.py."""

from collections import OrderedDict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.port.request import Prompt
from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.sequence import Sequence
from tests.unit.engine.scheduling.simulation import (
    BLOCK_SIZE,
    MAX_TOTAL_TOKENS,
    NUM_BLOCKS,
    Arrival,
    Simulation,
    new_simulation,
    request,
)

POOL_SIZE = 5
actions = st.tuples(st.sampled_from(["allocate", "insert", "share", "release", "forget"]), st.integers(0, 6))


@given(st.lists(actions, max_size=80))
def test_a_block_is_free_idle_or_owned_and_the_one_idle_longest_goes_first(
    steps: list[tuple[str, int]],
) -> None:
    pool = BlockPool(POOL_SIZE, BLOCK_SIZE)
    owners = dict.fromkeys(range(POOL_SIZE), 0)
    keys: dict[int, bytes] = {}  # by block
    idle: OrderedDict[int, None] = OrderedDict()
    for action, number in steps:
        block = number % POOL_SIZE
        if action == "allocate" and pool.num_free:
            has_plain = any(not owners[one] and one not in idle for one in owners)
            taken = pool.allocate()
            assert owners[taken] == 0
            if not has_plain:
                assert taken == next(iter(idle))
                del idle[taken], keys[taken]
            assert taken not in idle
            owners[taken] = 1
        elif action == "insert" and owners[block] and block not in keys:
            key = bytes([number])
            pool.cache.insert(key, block)
            if key not in keys.values():
                keys[block] = key
        elif action == "share" and (owners[block] or block in idle):
            pool.share(block)
            owners[block] += 1
            idle.pop(block, None)
        elif action == "release" and owners[block]:
            pool.release(block)
            owners[block] -= 1
            if not owners[block] and block in keys:
                idle[block] = None
        elif action == "forget":
            key = bytes([number])
            forgotten = [one for one in keys if keys[one] == key]
            assert pool.forget([key]) == forgotten
            for one in forgotten:
                del keys[one]
                idle.pop(one, None)
        assert pool.num_free == sum(not number for number in owners.values())
        assert pool.cache.num_idle == len(idle)
        for one, key in keys.items():
            assert pool.cache.find([key]) == [one]


def test_what_follows_a_block_that_is_gone_is_not_found() -> None:
    pool = BlockPool(POOL_SIZE, BLOCK_SIZE)
    keys = [b"first", b"second", b"third"]
    blocks = [pool.allocate() for _ in keys]
    for key, block in zip(keys, blocks, strict=True):
        pool.cache.insert(key, block)
    pool.forget([b"second"])
    assert pool.cache.find(keys) == blocks[:1]


def finish(simulation: Simulation, *, steps: int = 100) -> None:
    for _ in range(steps):
        if not simulation.alive:
            return
        simulation.step()
    raise AssertionError("does not end")


def computed(simulation: Simulation, arrival: Arrival, number: int) -> int:
    """Tokens of the arrival's prompt that its first step computes, alone; it runs to its end."""
    simulation.add(arrival, number)
    ((_, start, end),) = simulation.step().entries
    finish(simulation)
    assert end == arrival.num_prompt_tokens
    return end - start


@pytest.mark.parametrize(
    ("num_prompt_tokens", "num_computed"), [(1, 1), (3, 3), (4, 4), (5, 1), (7, 3), (8, 4), (9, 1), (10, 2)]
)
def test_full_blocks_alone_are_shared_and_never_the_whole_prompt(
    num_prompt_tokens: int, num_computed: int
) -> None:
    simulation = new_simulation()
    assert computed(simulation, request(num_prompt_tokens, 1), 0) == num_prompt_tokens
    assert computed(simulation, request(num_prompt_tokens, 1), 1) == num_computed


@pytest.mark.parametrize(("differs_at", "num_computed"), [(0, 16), (3, 16), (4, 12), (11, 8), (15, 4)])
def test_a_prompt_shares_the_blocks_before_its_first_difference(differs_at: int, num_computed: int) -> None:
    simulation = new_simulation()
    computed(simulation, request(16), 0)
    assert computed(simulation, replace(request(16, 1), differs_at=differs_at), 1) == num_computed


def test_prompts_of_different_salts_share_nothing() -> None:
    simulation = new_simulation()
    for number, salt in enumerate([None, "a", ""]):
        assert computed(simulation, replace(request(9, 1), salt=salt), number) == 9
    for number, salt in enumerate([None, "a", ""], 3):
        assert computed(simulation, replace(request(9, 1), salt=salt), number) == 1


def test_who_does_not_read_the_cache_fills_it_for_others() -> None:
    simulation = new_simulation()
    blind = replace(request(9, 1), reads_cache=False)
    assert [computed(simulation, blind, number) for number in range(2)] == [9, 9]
    assert computed(simulation, request(9, 1), 2) == 1


def test_generated_tokens_are_found_by_the_prompt_that_continues_them() -> None:
    simulation = new_simulation(request(6, 8))
    (sequence,) = simulation.alive
    finish(simulation)
    assert sequence.num_tokens == 14
    turn = simulation.scheduler.new_sequence(order=(0, 1, 0), prompt=Prompt((*sequence.token_ids, 7)))
    simulation.scheduler.add(turn)
    (entry,) = simulation.scheduler.schedule().entries
    assert (entry.start, entry.end) == (12, 15)


def test_a_block_is_found_no_sooner_than_the_step_that_fills_it_is_complete() -> None:
    simulation = new_simulation(request(10), request(10), max_batch_tokens=6)
    first, second = simulation.scheduler.waiting
    assert [tuple(entry) for entry in simulation.step().entries] == [(first, 0, 6)]
    # The first's second block is half full, so the second starts from one block.
    assert [tuple(entry) for entry in simulation.step().entries] == [(first, 6, 10), (second, 4, 6)]


def test_what_a_failed_step_wrote_is_never_found() -> None:
    simulation = new_simulation(request(10))
    simulation.step(fails=True)
    assert simulation.pool.cache.num_idle == 0
    assert computed(simulation, request(10), 1) == 10


def test_a_failed_sequence_takes_its_earlier_blocks_out_of_the_cache() -> None:
    simulation = new_simulation(request(10, 8))
    for _ in range(4):
        simulation.step()
    assert simulation.pool.cache._keys
    simulation.step(fails=True)
    assert not simulation.pool.cache._keys
    assert computed(simulation, request(10), 1) == 10


def test_a_failure_leaves_blocks_that_others_own_alone() -> None:
    simulation = new_simulation(request(9, 8))
    simulation.step()
    simulation.add(request(9, 8), 1)
    simulation.step()
    first, second = simulation.scheduler.running
    shared = first.table.block_ids[:2]
    assert second.table.block_ids[:2] == shared
    cleared = simulation.scheduler.discard(second)
    del simulation.alive[second]
    assert not {*cleared} & {*first.table.block_ids}
    finish(simulation)  # checks that the first still builds on what it wrote
    assert simulation.pool.num_free == NUM_BLOCKS


def test_a_preempted_sequence_starts_again_from_its_own_blocks() -> None:
    simulation = new_simulation(request(15, 12), request(12, 8))
    (_, youngest) = simulation.scheduler.waiting
    youngest.keys = BlockKeys((("salt", "own"),), BLOCK_SIZE)  # it finds no block but its own
    simulation.arrivals[1] = replace(simulation.arrivals[1], salt="own")
    while youngest.num_preemptions == 0:
        simulation.step()
    while not youngest.is_running:
        entries = simulation.step().entries
    (again,) = [entry for entry in entries if entry.sequence is youngest]
    assert 0 < again.start < again.end


def test_of_a_chain_the_last_block_goes_first_and_of_chains_the_one_used_longest_ago() -> None:
    simulation = new_simulation()
    for number, salt in enumerate("ab"):
        computed(simulation, replace(request(13, 1), salt=salt), number)  # three full blocks each
    assert computed(simulation, replace(request(13, 1), salt="a"), 2) == 1  # b is now the older
    computed(simulation, replace(request(16, 1), salt="c"), 3)  # takes two plain blocks, and two of b's
    sequences = {
        salt: simulation.scheduler.new_sequence(
            order=(0, 9, 0), prompt=Prompt(tuple(range(13))), tags=(("salt", salt),)
        )
        for salt in "abc"
    }
    assert {salt: num_found(simulation, one) for salt, one in sequences.items()} == {"a": 3, "b": 1, "c": 3}


def num_found(simulation: Simulation, sequence: Sequence) -> int:
    return len(simulation.pool.cache.find(sequence.keys.of(sequence.token_ids, 3)))


def test_a_request_that_needs_every_block_gets_them_from_the_cache() -> None:
    simulation = new_simulation()
    computed(simulation, replace(request(MAX_TOTAL_TOKENS - 1, 1), salt="old"), 0)
    assert simulation.pool.cache.num_idle == NUM_BLOCKS - 1
    assert computed(simulation, request(MAX_TOTAL_TOKENS - 1, 1), 1) == MAX_TOTAL_TOKENS - 1
