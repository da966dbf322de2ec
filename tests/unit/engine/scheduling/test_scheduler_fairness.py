"""Tests which sequences wait for which, and for how long at most."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.port.request import Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.capacity import _WATERMARK
from engine.scheduling.scheduler import _STEPS_A_PRIORITY, Scheduler
from engine.scheduling.sequence import Sequence
from tests.support.selection.effort import trials

BLOCK_SIZE = 4


class Clients:
    """A scheduler whose requests each want some tokens, and the step in which each got its first."""

    def __init__(self, num_blocks: int, *, max_num_sequences: int = 4, max_batch_tokens: int = 64) -> None:
        self.pool = BlockPool(num_blocks, BLOCK_SIZE)
        self.scheduler = Scheduler(
            self.pool, max_batch_tokens=max_batch_tokens, max_num_sequences=max_num_sequences
        )
        self.num_steps = 0
        self.num_preempted = 0
        self.wanted: dict[Sequence, int] = {}
        self.first_token: dict[int, int] = {}

    def add(self, number: int, *, priority: int = 0, prompt: int = 4, tokens: int = 2) -> None:
        sequence = self.scheduler.new_sequence(
            order=(priority, number, 0), prompt=Prompt(tuple(range(1000 * number, 1000 * number + prompt)))
        )
        self.wanted[sequence] = tokens
        self.scheduler.add(sequence)

    def step(self) -> None:
        schedule = self.scheduler.schedule()
        self.num_steps += 1
        self.num_preempted += schedule.num_preempted
        self.scheduler.complete(schedule)
        for sequence in [entry.sequence for entry in schedule.entries if entry.sequence.num_uncomputed == 0]:
            self.first_token.setdefault(sequence.arrival, self.num_steps)
            sequence.token_ids.append(0)
            if sequence.num_output_tokens == self.wanted[sequence]:
                self.scheduler.remove(sequence)


def test_a_low_priority_is_served_under_an_endless_stream_of_high_ones() -> None:
    clients = Clients(8, max_num_sequences=1)
    clients.add(0, priority=1)
    for number in range(1, 3 * _STEPS_A_PRIORITY):
        clients.add(number)  # one a step, of which each takes two
        clients.step()
    # It lets pass those that came in as many steps as a level is worth, and nobody later.
    assert abs(clients.first_token[0] - 2 * _STEPS_A_PRIORITY) <= 4


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 12)), min_size=2, max_size=12))
def test_among_those_that_came_together_priority_decides_then_arrival(
    requests: list[tuple[int, int]],
) -> None:
    clients = Clients(64, max_num_sequences=1)
    for number, (priority, prompt) in enumerate(requests):
        clients.add(number, priority=priority, prompt=prompt)
    while len(clients.first_token) < len(requests):
        clients.step()
    served = sorted(clients.first_token, key=lambda number: clients.first_token[number])
    assert served == sorted(range(len(requests)), key=lambda number: (requests[number][0], number))


@settings(max_examples=trials(25, whole=100))
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 30), st.integers(1, 30)), max_size=30))
def test_whoever_comes_is_served_though_blocks_are_few(requests: list[tuple[int, int, int]]) -> None:
    clients = Clients(16)
    for number, (priority, prompt, tokens) in enumerate(requests):
        clients.add(number, priority=priority, prompt=prompt, tokens=tokens)
        clients.step()
    for _ in range(sum(prompt + tokens for _, prompt, tokens in requests)):
        clients.step()
    assert {*clients.first_token} == {*range(len(requests))}
    assert not clients.scheduler.running
    assert clients.pool.num_free == clients.pool.num_blocks


@given(st.integers(50, 400), st.integers(1, 8))
def test_admission_leaves_a_share_of_the_blocks_to_those_that_run(
    num_blocks: int, prompt_blocks: int
) -> None:
    clients = Clients(num_blocks, max_num_sequences=1000, max_batch_tokens=10_000)
    for number in range(num_blocks):
        clients.add(number, prompt=prompt_blocks * BLOCK_SIZE, tokens=100)
    clients.scheduler.schedule()
    assert clients.scheduler.waiting
    assert clients.pool.num_free >= int(num_blocks * _WATERMARK)
    assert clients.pool.num_free >= len(clients.scheduler.running) - 1


@given(st.integers(1, 40), st.lists(st.integers(33, 400), min_size=1, max_size=12), st.integers(0, 20))
def test_a_short_prompt_behind_long_ones_gets_half_of_each_step(
    short: int, long: list[int], num_steps_later: int
) -> None:
    clients = Clients(2000, max_num_sequences=100, max_batch_tokens=32)
    for number, prompt in enumerate(long):
        clients.add(number, prompt=prompt + short, tokens=1)
    for _ in range(num_steps_later):
        clients.step()
    has_ended = len(clients.first_token) == len(long)
    clients.add(99, prompt=short, tokens=1)
    before = clients.num_steps
    while 99 not in clients.first_token:
        clients.step()
    # At most one that came before has less left to compute than it: the others are not begun, or in order.
    assert has_ended or clients.first_token[99] - before <= 2 * (-(-short // 16) + 1)


@settings(max_examples=trials(25, whole=100))
@given(st.integers(1, 400), st.integers(1, 16))
def test_a_long_prompt_is_computed_under_an_endless_stream_of_short_ones(long: int, short: int) -> None:
    clients = Clients(400, max_num_sequences=100, max_batch_tokens=32)
    clients.add(0, prompt=long, tokens=1)
    clients.step()
    for number in range(1, 2 + 2 * (-(-long // 16) + 1)):
        for twin in range(-(-32 // short)):  # enough of them to fill every step
            clients.add(number * 100 + twin, prompt=short, tokens=1)
        clients.step()
    assert clients.first_token[0] <= 1 + -(-long // 16)


def test_prompts_of_one_length_are_computed_one_after_another() -> None:
    clients = Clients(200, max_num_sequences=100, max_batch_tokens=32)
    for number in range(4):
        clients.add(number, prompt=64, tokens=1)
    for _ in range(8):
        clients.step()
    assert clients.first_token == {0: 2, 1: 4, 2: 6, 3: 8}


def test_a_prompt_of_a_higher_priority_is_computed_before_a_shorter_one() -> None:
    clients = Clients(200, max_num_sequences=100, max_batch_tokens=32)
    clients.add(0, prompt=64, tokens=1)
    clients.add(1, prompt=8, tokens=1, priority=1)
    for _ in range(3):
        clients.step()
    assert clients.first_token == {0: 2, 1: 3}


def test_who_passes_leaves_room_for_the_first_that_waits() -> None:
    clients = Clients(10, max_num_sequences=100, max_batch_tokens=4)
    clients.add(0, prompt=8, tokens=1)
    clients.step()
    clients.add(1, prompt=20, tokens=1)  # five blocks of the eight that are free, less a reserve of one
    clients.add(2, prompt=3, tokens=1)
    clients.add(3, prompt=12, tokens=1)
    clients.step()
    assert {one.arrival for one in clients.scheduler.waiting} >= {3}
    while len(clients.first_token) < 4:
        clients.step()
    assert clients.num_preempted == 0


def test_one_that_needs_every_block_is_admitted_once_nothing_runs() -> None:
    clients = Clients(100)
    clients.add(0, tokens=3)
    clients.add(1, prompt=100 * BLOCK_SIZE - 2, tokens=2)
    for _ in range(20):
        clients.step()
    assert clients.first_token[0] < clients.first_token[1]
    assert clients.num_preempted == 0
