"""A sequence starts from the state behind its cached blocks, whoever takes which slot meanwhile."""

from engine.port.request import Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.schedule import Schedule
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import _SNAPSHOT_STRIDE, SequenceStates
from engine.scheduling.state_slots import StateSlots

_BLOCK_SIZE = 4
_PROMPT = tuple(range(10))  # two full blocks and two tokens


class Case:
    """A scheduler of sequences with recurrent state."""

    def __init__(self, num_slots: int, *, max_num_sequences: int = 2, takes_snapshots: bool = True) -> None:
        self.states = SequenceStates(StateSlots(num_slots), _BLOCK_SIZE, takes_snapshots=takes_snapshots)
        self.scheduler = Scheduler(
            BlockPool(64, _BLOCK_SIZE),
            max_batch_tokens=1024,
            max_num_sequences=max_num_sequences,
            states=self.states,
        )
        self.num_arrived = 0

    def add(self, token_ids: tuple[int, ...], num_siblings: int = 0) -> Sequence:
        self.num_arrived += 1
        sequence = self.scheduler.new_sequence(
            order=(0, self.num_arrived, 0), prompt=Prompt(token_ids), num_siblings=num_siblings
        )
        self.scheduler.add(sequence)
        return sequence

    def step(self) -> Schedule:
        schedule = self.scheduler.schedule()
        self.scheduler.complete(schedule)
        return schedule

    def leave_snapshot(self) -> int:
        """Compute the prompt, whose state is kept, and return the slot of the snapshot."""
        first = self.add(_PROMPT)
        [snapshot] = self.step().snapshots[first]
        self.scheduler.remove(first)
        return snapshot.slot


def test_a_sequence_may_take_the_slot_of_the_snapshot_that_it_starts_from() -> None:
    """It once took the slot first, which made the snapshot unknown when it was looked up: KeyError."""
    case = Case(num_slots=2)
    kept = case.leave_snapshot()
    case.add((99,))  # takes the other slot
    case.step()
    second = case.add(_PROMPT)
    schedule = case.step()
    assert (second.slot, schedule.entries[-1].start) == (kept, 2 * _BLOCK_SIZE)
    assert schedule.state_copies == [], "the state is there already"
    assert len(case.states.slots._snapshots) == 0


def test_a_sequence_copies_a_snapshot_that_stays() -> None:
    case = Case(num_slots=3)
    kept = case.leave_snapshot()
    second = case.add(_PROMPT)
    schedule = case.step()
    assert schedule.entries[0].start == 2 * _BLOCK_SIZE
    assert schedule.state_copies == [(kept, second.slot)] and second.slot != kept


def test_a_snapshot_may_go_to_a_sibling_once_its_copy_is_recorded() -> None:
    case = Case(num_slots=2)
    kept = case.leave_snapshot()
    second, other = case.add(_PROMPT), case.add((99,))
    schedule = case.step()
    assert schedule.state_copies == [(kept, second.slot)]
    assert other.slot == kept, "it is copied before it is written"


def test_without_its_snapshot_a_prompt_is_computed_from_its_first_token() -> None:
    case = Case(num_slots=2)
    case.leave_snapshot()
    for _ in range(2):
        case.add((99,))
    case.step()
    case.scheduler.remove(case.scheduler.running[0])
    case.add(_PROMPT)
    assert case.step().entries[-1].start == 0


def test_a_fork_continues_from_a_copy_of_its_parents_state() -> None:
    case = Case(num_slots=2, takes_snapshots=False)
    parent = case.add(_PROMPT, num_siblings=1)
    assert case.step().snapshots == {}
    child = case.scheduler.fork(parent, index=1)
    for sequence in (parent, child):
        sequence.token_ids.append(sequence.index)
    assert case.step().state_copies == [(parent.slot, child.slot)]
    case.scheduler.remove(parent)
    case.scheduler.remove(child)
    assert case.states.slots.num_free == 2
    assert (parent.slot, child.slot) == (None, None)


def test_the_states_of_a_prompt_are_kept_on_a_stride_and_at_its_end_and_the_newest_of_the_output() -> None:
    case = Case(num_slots=8)
    stride = _SNAPSHOT_STRIDE * _BLOCK_SIZE
    sequence = case.add(tuple(range(2 * stride + 6)))
    snapshots = case.step().snapshots[sequence]
    assert [one.num_tokens for one in snapshots] == [stride, 2 * stride, 2 * stride + _BLOCK_SIZE]
    newest = []
    for _ in range(10):
        sequence.token_ids.append(0)
        newest += [one.num_tokens for one in case.step().snapshots.get(sequence, [])]
    assert newest == [2 * stride + 8, 2 * stride + 12, 2 * stride + 16]
    assert len(case.states.slots._snapshots) == 4, "three of the prompt, one of the output"


def test_the_states_of_a_discarded_sequence_are_forgotten() -> None:
    case = Case(num_slots=3)
    first = case.add(_PROMPT)
    case.step()
    case.scheduler.discard(first)
    assert (len(case.states.slots._snapshots), case.states.slots.num_free) == (0, 3)
