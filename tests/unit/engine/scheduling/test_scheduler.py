"""The scheduler's invariants under arbitrary arrivals, aborts and failures, with no model but a memory."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.scheduling.schedule import Schedule
from engine.scheduling.sequence import MAX_NEW_TOKENS_PER_STEP
from tests.support.selection.effort import trials
from tests.unit.engine.scheduling.simulation import (
    MAX_TOTAL_TOKENS,
    NUM_BLOCKS,
    Arrival,
    Simulation,
    new_simulation,
    request,
)

# More steps than any workload of the tests needs, each request being computed again for every other that
# preempts it.
MAX_STEPS = 5000

arrivals = st.lists(
    st.builds(
        Arrival,
        at_step=st.integers(0, 30),
        num_prompt_tokens=st.integers(1, 20),
        max_tokens=st.integers(1, MAX_TOTAL_TOKENS - 20),
        num_sequences=st.integers(1, 5),
        priority=st.integers(0, 1),
        abort_after=st.none() | st.integers(0, 15),
        differs_at=st.none() | st.integers(0, 19),
        salt=st.sampled_from([None, None, "a", "b"]),
        reads_cache=st.sampled_from([True, True, True, False]),
        is_search=st.sampled_from([False, False, True]),
        max_new_tokens_per_step=st.sampled_from([1, 1, 3, MAX_NEW_TOKENS_PER_STEP]),
        max_draft_tokens=st.sampled_from([0, 0, 1, 5]),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=trials(80, whole=300))
@given(
    arrivals,
    st.integers(1, 12),
    st.integers(1, 6),
    st.booleans(),
    st.sets(st.integers(0, 60), max_size=3),
    st.none() | st.integers(0, 6),
    st.none() | st.integers(1, 40),
    st.booleans(),
)
def test_whatever_arrives_all_sequences_end_on_their_own_tokens_and_no_block_is_lost(
    wanted: list[Arrival],
    max_batch_tokens: int,
    max_num_sequences: int,
    prefix_caching: bool,
    failing_steps: set[int],
    num_snapshots: int | None,
    original_context: int | None,
    shares_blocks: bool,
) -> None:
    num_snapshots = num_snapshots if shares_blocks else 0
    if num_snapshots is not None:  # a state cannot be taken back, so nothing is drafted
        wanted = [replace(arrival, max_draft_tokens=0) for arrival in wanted]
    simulation = Simulation(
        max_batch_tokens,
        max_num_sequences,
        prefix_caching=prefix_caching,
        num_snapshots=num_snapshots,
        original_context=original_context,
        shares_blocks=shares_blocks,
    )
    aborts = {
        number: arrival.at_step + arrival.abort_after
        for number, arrival in enumerate(wanted)
        if arrival.abort_after is not None
    }
    for step in range(MAX_STEPS):
        for number, arrival in enumerate(wanted):
            if arrival.at_step == step:
                simulation.add(arrival, number)
            if aborts.get(number) == step:
                simulation.abort(number)
        simulation.step(fails=step in failing_steps)
        if step > 60 and not simulation.alive:
            break
    assert not simulation.alive
    assert simulation.pool.num_free == NUM_BLOCKS
    assert prefix_caching or simulation.pool.cache.num_idle == 0
    for number, arrival in enumerate(wanted):
        if number not in aborts and number not in simulation.failed:
            assert simulation.num_finished[number] == arrival.num_sequences


def shares(schedule: Schedule) -> list[tuple[int, int]]:
    return [(entry.sequence.arrival, entry.end - entry.start) for entry in schedule.entries]


def test_a_long_prompt_is_computed_in_chunks_beside_those_that_decode() -> None:
    simulation = new_simulation(request(2, 9), request(12), max_batch_tokens=5)
    assert [shares(simulation.step()) for _ in range(4)] == [
        [(0, 2), (1, 3)],
        [(0, 1), (1, 4)],
        [(0, 1), (1, 4)],
        [(0, 1), (1, 1)],
    ]


def test_a_tail_is_computed_whole_beside_a_long_prompt_and_in_chunks_where_the_batch_is_small() -> None:
    simulation = new_simulation(
        replace(request(2, 9), max_new_tokens_per_step=4), request(12), max_batch_tokens=5
    )
    simulation.step()
    first = next(iter(simulation.alive))
    assert first.num_uncomputed == 3
    assert shares(simulation.step()) == [(0, 3), (1, 2)]
    small = new_simulation(replace(request(2, 9), max_new_tokens_per_step=4), max_batch_tokens=2)
    assert [shares(small.step()) for _ in range(3)] == [[(0, 2)], [(0, 2)], [(0, 1)]]


def test_lower_priority_numbers_run_first_and_ties_by_arrival() -> None:
    simulation = new_simulation(request(3, priority=1), request(3), request(3), max_num_sequences=2)
    assert shares(simulation.step()) == [(1, 3), (2, 3)]


def test_a_prompt_that_comes_first_advances_even_if_the_others_could_fill_the_batch() -> None:
    simulation = new_simulation(request(6, 9, num_sequences=4, priority=1), max_batch_tokens=4)
    simulation.step()
    simulation.add(request(12), number=1)
    assert shares(simulation.step()) == [(0, 1), (1, 3)]
    assert shares(simulation.step()) == [(1, 3), (0, 1)]
    assert shares(simulation.step()) == [(1, 1), (0, 1), (0, 1), (0, 1)]


def test_the_youngest_is_preempted_and_computed_again_without_losing_its_tokens() -> None:
    simulation = new_simulation(request(15, 12), request(12, 8))
    before = [simulation.step() for _ in range(2)][-1]
    assert len(before.entries) == 2
    youngest = before.entries[1].sequence
    while not simulation.scheduler.waiting:
        tokens = list(youngest.token_ids)
        schedule = simulation.step()
    assert schedule.num_preempted == 1
    assert simulation.scheduler.waiting == [youngest]
    assert (youngest.token_ids, youngest.num_computed, youngest.num_preemptions) == (tokens, 0, 1)


def test_siblings_share_the_blocks_of_their_prompt() -> None:
    simulation = new_simulation(request(10, num_sequences=3))
    simulation.step()
    assert NUM_BLOCKS - simulation.pool.num_free == 3
    copies = simulation.step().block_copies
    assert len(copies) == 2  # the last block is half full: two of its three owners take a copy
    assert NUM_BLOCKS - simulation.pool.num_free == 5


def test_a_place_is_kept_for_each_sibling_of_a_prompt_that_is_not_yet_computed() -> None:
    simulation = new_simulation(
        request(12, num_sequences=3), request(3), max_batch_tokens=8, max_num_sequences=3
    )
    assert shares(simulation.step()) == [(0, 8)]
    assert shares(simulation.step()) == [(0, 4)]


def test_a_request_is_not_admitted_before_there_is_a_place_for_each_of_its_siblings() -> None:
    simulation = new_simulation(request(3), request(3), max_num_sequences=3)
    simulation.step()
    simulation.add(request(3, num_sequences=2), number=2)
    assert shares(simulation.step()) == [(0, 1), (1, 1)]


def test_a_block_is_left_for_each_sequence_that_runs() -> None:
    simulation = new_simulation(request(21))
    simulation.step()
    assert simulation.pool.num_free == 2
    simulation.add(replace(request(5), differs_at=0), number=1)
    simulation.add(request(3, priority=1), number=2)
    assert shares(simulation.step()) == [(0, 1)]  # and number 2 does not overtake number 1
    simulation.abort(1)
    assert shares(simulation.step()) == [(0, 1), (2, 3)]


def test_a_prompt_needs_no_blocks_for_what_it_shares_with_a_sequence_that_runs() -> None:
    simulation = new_simulation(request(21))
    simulation.step()
    simulation.add(request(21), number=1)
    assert shares(simulation.step()) == [(0, 1), (1, 1)]


def test_a_fork_of_a_sequence_that_lost_its_blocks_waits_to_be_computed() -> None:
    simulation = new_simulation(request(6, 9, num_sequences=2))
    parent, _ = [simulation.step().entries[0].sequence, *simulation.alive][:2]
    simulation.scheduler.preempt(parent)
    parent.num_siblings = 1
    child = simulation.scheduler.fork(parent, index=5)
    assert (child.is_running, child.num_computed, child.table.block_ids) == (False, 0, [])
    assert child in simulation.scheduler.waiting


def test_of_parked_beams_the_last_in_order_makes_room() -> None:
    simulation = new_simulation(replace(request(7, 9, num_sequences=4), is_search=True))
    while len(simulation.alive) < 4:
        simulation.step()
    beams = sorted(simulation.alive, key=lambda one: one.order)
    simulation.scheduler.complete(simulation.scheduler.schedule())  # each has a block of its own now
    for beam in beams[:3]:
        beam.is_parked = True
    simulation.scheduler.preempt(beams[3])
    while simulation.pool.num_free:
        simulation.pool.allocate()
    schedule = simulation.scheduler.schedule()
    assert [entry.sequence for entry in schedule.entries] == [beams[3]]
    assert [beam.is_running for beam in beams] == [True, False, False, True]


def test_a_parked_beam_takes_no_share_of_the_batch() -> None:
    simulation = new_simulation(replace(request(3, 9, num_sequences=2), is_search=True), max_batch_tokens=1)
    while len(simulation.alive) < 2:
        simulation.step()
    assert [len(simulation.step().entries) for _ in range(4)] == [1] * 4


def test_a_sibling_without_a_place_waits_and_is_computed_by_itself() -> None:
    simulation = new_simulation(request(6, 3, num_sequences=3), max_num_sequences=2)
    simulation.step()
    assert [sequence.order[2] for sequence in simulation.scheduler.waiting] == [2]
    while simulation.alive:
        simulation.step()
    assert simulation.num_finished[0] == 3


def test_a_fork_that_shares_no_blocks_takes_its_own_or_waits() -> None:
    simulation = Simulation(100, 8, num_snapshots=0, shares_blocks=False)
    simulation.add(request(10, num_sequences=3), number=0)  # of 3 blocks each, and there are 8
    simulation.step()
    first, second, third = simulation.alive
    assert [len(one.table.block_ids) for one in (first, second, third)] == [3, 3, 0]
    assert not {*first.table.block_ids} & {*second.table.block_ids}
    assert simulation.scheduler.waiting == [third] and third.num_computed == 0


def test_a_fork_whose_state_a_failed_step_did_not_copy_is_computed_again() -> None:
    """It once went on from whatever its slot held."""
    simulation = Simulation(2, 4, num_snapshots=0, shares_blocks=False)
    for number in range(2):
        simulation.add(request(1, num_sequences=2), number)
    simulation.step()
    first, second, first_fork, second_fork = simulation.alive
    schedule = simulation.step(fails=True)
    assert {entry.sequence for entry in schedule.entries} == {first, first_fork}
    assert {*simulation.alive} == {second, second_fork}, "which were not in the step"
    assert (second_fork.is_running, second_fork.num_computed, second_fork.num_preemptions) == (False, 0, 1)
    assert second.num_computed == 1, "its state is its own"
    while simulation.alive:
        simulation.step()
    assert simulation.num_finished[1] == 2
