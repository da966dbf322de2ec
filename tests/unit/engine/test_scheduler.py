"""The scheduler's invariants under arbitrary arrivals and aborts, with a counter in place of the model."""

from collections import Counter
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv_cache import BlockPool
from engine.scheduler import Schedule, Scheduler
from engine.sequence import Sequence

NUM_BLOCKS, BLOCK_SIZE = 8, 4
MAX_TOTAL_TOKENS = NUM_BLOCKS * BLOCK_SIZE
# More steps than any workload of the tests needs, each request's work repeated for every other that preempts
# it.
MAX_STEPS = 5000


@dataclass(frozen=True)
class Arrival:
    at_step: int
    num_prompt_tokens: int
    max_tokens: int
    num_sequences: int
    priority: int
    abort_after: int | None


arrivals = st.lists(
    st.builds(
        Arrival,
        at_step=st.integers(0, 30),
        num_prompt_tokens=st.integers(1, 20),
        max_tokens=st.integers(1, MAX_TOTAL_TOKENS - 20),
        num_sequences=st.integers(1, 4),
        priority=st.integers(0, 1),
        abort_after=st.none() | st.integers(0, 15),
    ),
    max_size=12,
)


class Simulation:
    """Drives a scheduler as the core does, and checks it at every step."""

    def __init__(self, max_batch_tokens: int, max_num_sequences: int) -> None:
        self.pool = BlockPool(NUM_BLOCKS, BLOCK_SIZE)
        self.max_batch_tokens = max_batch_tokens
        self.max_num_sequences = max_num_sequences
        self.scheduler = Scheduler(
            self.pool, max_batch_tokens=max_batch_tokens, max_num_sequences=max_num_sequences
        )
        self.alive: dict[Sequence, int] = {}  # and how many tokens its family was promised
        self.num_finished: Counter[int] = Counter()

    def add(self, arrival: Arrival, number: int) -> None:
        sequence = self.scheduler.new_sequence(
            order=(arrival.priority, number, 0),
            prompt_token_ids=range(arrival.num_prompt_tokens),
            num_siblings=arrival.num_sequences - 1,
        )
        self.alive[sequence] = arrival.max_tokens
        self.scheduler.add(sequence)

    def abort(self, number: int) -> None:
        for sequence in [one for one in self.alive if one.arrival == number]:
            self.end(sequence)

    def end(self, sequence: Sequence) -> None:
        self.scheduler.remove(sequence)
        del self.alive[sequence]

    def step(self) -> Schedule:
        first = self.scheduler.running[:1]
        schedule = self.scheduler.schedule()
        assert [work.sequence for work in schedule.works][: len(first)] == first
        self.check(schedule)
        self.scheduler.complete(schedule)
        for work in schedule.works:
            if work.sequence.num_uncomputed == 0:
                self.sample(work.sequence)
        return schedule

    def sample(self, sequence: Sequence) -> None:
        family = [sequence]
        while sequence.num_siblings:
            child = self.scheduler.fork(sequence, index=len(family))
            self.alive[child] = self.alive[sequence]
            family.append(child)
        for member in family:
            member.token_ids.append(0)
            if member.num_output_tokens == self.alive[member]:
                self.num_finished[member.arrival] += 1
                self.end(member)

    def check(self, schedule: Schedule) -> None:
        works, running, waiting = schedule.works, self.scheduler.running, self.scheduler.waiting
        assert sum(work.end - work.start for work in works) <= self.max_batch_tokens
        assert len(running) <= self.max_num_sequences
        assert len({work.sequence for work in works}) == len(works)
        assert {*running, *waiting} == {*self.alive}
        assert not any(sequence.table.block_ids for sequence in waiting)
        for work in works:
            assert work.sequence in running
            assert work.start == work.sequence.num_computed < work.end <= work.sequence.num_tokens
            written = range(work.start // BLOCK_SIZE, -(-work.end // BLOCK_SIZE))
            assert not any(self.pool.is_shared(work.sequence.table.block_ids[place]) for place in written)
        assert works or not self.alive
        self.check_blocks()

    def check_blocks(self) -> None:
        owners = Counter(block for sequence in self.alive for block in sequence.table.block_ids)
        assert self.pool.num_free + len(owners) == NUM_BLOCKS
        assert all(self.pool.is_shared(block) == (count > 1) for block, count in owners.items())


@settings(deadline=None, max_examples=150)
@given(arrivals, st.integers(1, 12), st.integers(1, 6))
def test_whatever_arrives_all_sequences_end_and_no_block_is_lost(
    wanted: list[Arrival], max_batch_tokens: int, max_num_sequences: int
) -> None:
    simulation = Simulation(max_batch_tokens, max_num_sequences)
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
        simulation.step()
        if step > 50 and not simulation.alive:
            break
    assert not simulation.alive
    assert simulation.pool.num_free == NUM_BLOCKS
    for number, arrival in enumerate(wanted):
        if number not in aborts:
            assert simulation.num_finished[number] == arrival.num_sequences


def new_simulation(*arrivals: Arrival, max_batch_tokens: int = 100, max_num_sequences: int = 8) -> Simulation:
    simulation = Simulation(max_batch_tokens, max_num_sequences)
    for number, arrival in enumerate(arrivals):
        simulation.add(arrival, number)
    return simulation


def request(
    num_prompt_tokens: int, max_tokens: int = 4, *, num_sequences: int = 1, priority: int = 0
) -> Arrival:
    return Arrival(0, num_prompt_tokens, max_tokens, num_sequences, priority, None)


def shares(schedule: Schedule) -> list[tuple[int, int]]:
    return [(work.sequence.arrival, work.end - work.start) for work in schedule.works]


def test_a_long_prompt_is_computed_in_chunks_beside_those_that_decode() -> None:
    simulation = new_simulation(request(2, 9), request(12), max_batch_tokens=5)
    assert [shares(simulation.step()) for _ in range(4)] == [
        [(0, 2), (1, 3)],
        [(0, 1), (1, 4)],
        [(0, 1), (1, 4)],
        [(0, 1), (1, 1)],
    ]


def test_lower_priority_numbers_run_first_and_ties_by_arrival() -> None:
    simulation = new_simulation(request(3, priority=1), request(3), request(3), max_num_sequences=2)
    assert shares(simulation.step()) == [(1, 3), (2, 3)]


def test_a_prompt_that_comes_first_advances_even_if_the_others_could_fill_the_batch() -> None:
    simulation = new_simulation(request(6, 9, num_sequences=4, priority=1), max_batch_tokens=4)
    simulation.step()
    simulation.add(request(12), number=1)
    assert shares(simulation.step()) == [(0, 2), (1, 2)]
    assert shares(simulation.step()) == [(1, 1), (0, 1), (0, 1), (0, 1)]


def test_the_youngest_is_preempted_and_computed_again_without_losing_its_tokens() -> None:
    simulation = new_simulation(request(15, 12), request(12, 8))
    before = [simulation.step() for _ in range(2)][-1]
    assert len(before.works) == 2
    youngest = before.works[1].sequence
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


def test_a_sibling_without_a_place_waits_and_is_computed_by_itself() -> None:
    simulation = new_simulation(request(6, 3, num_sequences=3), max_num_sequences=2)
    simulation.step()
    assert [sequence.order[2] for sequence in simulation.scheduler.waiting] == [2]
    while simulation.alive:
        simulation.step()
    assert simulation.num_finished[0] == 3
