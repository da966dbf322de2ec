"""A scheduler driven as the core drives it, with a memory that notes what each slot was written for."""

from collections import Counter
from dataclasses import dataclass
from random import Random

from engine.port.request import Prompt
from engine.scheduling.block_keys import BlockKeys, Tags
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.cache_changes import CacheChanges, StoredBlock
from engine.scheduling.schedule import Schedule
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.state_slots import StateSlots

NUM_BLOCKS, BLOCK_SIZE = 8, 4
MAX_TOTAL_TOKENS = NUM_BLOCKS * BLOCK_SIZE
_WRONG = 77  # a drafted token that does not come true

# A slot's keys and values depend on the tags and on all tokens up to its own.
Content = tuple[Tags, tuple[int, ...]]


@dataclass(frozen=True)
class Arrival:
    """differs_at: where the prompt leaves the one that all others begin with; None: nowhere.

    is_search: its sequences are beams, one at first, which go on together (`Simulation.advance`).
    max_new_tokens_per_step: the most tokens that a sequence appends at once, as with forced tokens.
    max_draft_tokens: the most tokens that a step computes ahead, of which any number come true.
    """

    at_step: int
    num_prompt_tokens: int
    max_tokens: int
    num_sequences: int
    priority: int
    abort_after: int | None
    differs_at: int | None = None
    salt: str | None = None
    reads_cache: bool = True
    is_search: bool = False
    max_new_tokens_per_step: int = 1
    max_draft_tokens: int = 0

    @property
    def tags(self) -> Tags:
        return (("salt", self.salt),) if self.salt is not None else ()

    @property
    def prompt(self) -> list[int]:
        prompt = list(range(self.num_prompt_tokens))
        if self.differs_at is not None and self.differs_at < len(prompt):
            prompt[self.differs_at] = 100
        return prompt


class Simulation:
    """Checks the scheduler at every step."""

    def __init__(
        self,
        max_batch_tokens: int,
        max_num_sequences: int,
        *,
        prefix_caching: bool = True,
        num_snapshots: int | None = None,
        original_context: int | None = None,
        shares_blocks: bool = True,
    ) -> None:
        """num_snapshots: state slots beside those of the sequences; None for a model without states.

        shares_blocks: if not, all that is known of a sequence is its state, as on the fallback path.
        """
        assert shares_blocks or num_snapshots == 0
        self.shares_blocks = shares_blocks
        self.states = None if num_snapshots is None else StateSlots(max_num_sequences + num_snapshots)
        self.original_context = original_context
        self.changes = CacheChanges()
        self.known: dict[bytes, StoredBlock] = {}  # to whoever has read all changes
        self.pool = BlockPool(NUM_BLOCKS, BLOCK_SIZE, self.changes)
        self.max_batch_tokens = max_batch_tokens
        self.max_num_sequences = max_num_sequences
        self.scheduler = Scheduler(
            self.pool,
            max_batch_tokens=max_batch_tokens,
            max_num_sequences=max_num_sequences,
            prefix_caching=prefix_caching,
            shares_blocks=shares_blocks,
            states=None
            if self.states is None
            else SequenceStates(self.states, BLOCK_SIZE, takes_snapshots=prefix_caching and shares_blocks),
            original_context=original_context,
        )
        self.arrivals: dict[int, Arrival] = {}
        self.alive: dict[Sequence, int] = {}  # and how many tokens its family was promised
        self.num_finished: Counter[int] = Counter()
        self.failed: set[int] = set()
        self.num_begun: Counter[int] = Counter()
        self.progress: dict[
            Sequence, tuple[int, int]
        ] = {}  # its preemptions, and where its last scheduled tokens ended
        self.state_memory: dict[int, Content | None] = {}
        self.memory: list[Content | None] = [None] * MAX_TOTAL_TOKENS  # None: nothing, or nonsense

    def add(self, arrival: Arrival, number: int) -> None:
        self.arrivals[number] = arrival
        sequence = self.scheduler.new_sequence(
            order=(arrival.priority, number, 0),
            prompt=Prompt(tuple(arrival.prompt)),
            num_siblings=arrival.num_sequences - 1,
            tags=arrival.tags,
            reads_cache=arrival.reads_cache,
        )
        self.alive[sequence] = arrival.max_tokens
        self.scheduler.add(sequence)

    def abort(self, number: int) -> None:
        for sequence in [one for one in self.alive if one.arrival == number]:
            self.end(sequence)

    def end(self, sequence: Sequence) -> None:
        self.scheduler.remove(sequence)
        del self.alive[sequence]

    def step(self, *, fails: bool = False) -> Schedule:
        first, before = self.scheduler.running[:1], {*self.scheduler.running}
        first = [one for one in first if not one.is_parked and one.is_long == self.should_be_long(one)]
        running = [one for one in self.scheduler.running if one.is_long == self.should_be_long(one)]
        decoding = [one for one in running if one.is_decoding and not one.is_parked]
        schedule = self.scheduler.schedule(self.drafts(decoding))
        self.check_tails(decoding, schedule)
        assert [entry.sequence for entry in schedule.entries][: len(first)] == first
        if not fails:  # as a step may, before it copies or frees any state
            self.copy_states(schedule)
        self.copy_blocks(schedule)
        self.check(schedule)
        self.check_starts(schedule, before)
        self.write(schedule, nonsense=fails)
        if fails:
            self.fail(schedule)
            return schedule
        self.scheduler.complete(schedule)
        self.check_cache()
        for sequence in [entry.sequence for entry in schedule.entries if entry.sequence.num_uncomputed == 0]:
            if self.arrivals[sequence.arrival].is_search:
                self.park(sequence)
            elif sequence in schedule.drafts:
                self.follow_draft(sequence, schedule.drafts[sequence])
            else:
                self.sample(sequence)
        self.check_blocks()
        self.check_cache()
        return schedule

    def should_be_long(self, sequence: Sequence) -> bool:
        return self.original_context is not None and sequence.num_tokens > self.original_context

    def drafts(self, decoding: list[Sequence]) -> dict[Sequence, list[int]]:
        """Return drafts that come true up to some place, of sequences that have no siblings to fork."""
        drafts = {}
        for sequence in decoding:
            arrival = self.arrivals[sequence.arrival]
            most = min(arrival.max_draft_tokens, self.alive[sequence] - sequence.num_output_tokens - 1)
            if most > 0 and sequence.num_output_tokens and not arrival.is_search:
                num_right = Random(sequence.arrival * 1000 + sequence.num_output_tokens).randint(0, most)
                drafts[sequence] = [sequence.index] * num_right + [_WRONG] * (most - num_right)
        return drafts

    def follow_draft(self, sequence: Sequence, draft: tuple[int, ...]) -> None:
        for place, foreseen in enumerate([*draft, _WRONG]):
            if place > 0:
                self.scheduler.confirm(sequence)
            sequence.token_ids.append(sequence.index)
            if foreseen != sequence.index:
                break
        assert sequence.num_output_tokens <= self.alive[sequence]
        assert sequence.num_uncomputed == 1
        self.progress[sequence] = self.num_restarts(sequence), sequence.num_computed
        self.scheduler.drop_draft(sequence)
        if sequence.num_output_tokens == self.alive[sequence]:
            self.num_finished[sequence.arrival] += 1
            self.end(sequence)

    def copy_states(self, schedule: Schedule) -> None:
        for source, destination in schedule.state_copies:
            self.state_memory[destination] = self.state_memory[source]
        for slot in schedule.released_states:
            self.state_memory.pop(slot, None)
        if schedule.entries and not self.shares_blocks:  # no state outlives its sequence
            assert self.state_memory.keys() <= {one.slot for one in self.scheduler.running}

    def copy_blocks(self, schedule: Schedule) -> None:
        for source, destination in schedule.block_copies:
            for offset, content in enumerate(self.contents(source)):
                self.memory[destination * BLOCK_SIZE + offset] = content

    def contents(self, block: int) -> list[Content | None]:
        return self.memory[block * BLOCK_SIZE :][:BLOCK_SIZE]

    def slot(self, sequence: Sequence, position: int) -> int:
        return sequence.table.block_ids[position // BLOCK_SIZE] * BLOCK_SIZE + position % BLOCK_SIZE

    def content(self, sequence: Sequence, position: int) -> Content:
        tags = (*self.arrivals[sequence.arrival].tags, *([("rope", "long")] if sequence.is_long else []))
        return tags, tuple(sequence.token_ids[: position + 1])

    def write(self, schedule: Schedule, *, nonsense: bool) -> None:
        for sequence, start, end in schedule.entries:
            for position in range(start, end):
                content = None if nonsense else self.content(sequence, position)
                self.memory[self.slot(sequence, position)] = content
            self.write_state(schedule, sequence, start, end, nonsense=nonsense)
        for sequence, draft in schedule.drafts.items():
            tags, tokens = self.content(sequence, sequence.num_tokens - 1)
            for place in range(len(draft)):
                content = None if nonsense else (tags, (*tokens, *draft[: place + 1]))
                self.memory[self.slot(sequence, sequence.num_tokens + place)] = content

    def write_state(
        self, schedule: Schedule, sequence: Sequence, start: int, end: int, *, nonsense: bool
    ) -> None:
        """Advance a sequence's state from that of its first `start` tokens, and keep what is to be kept."""
        if self.states is None:
            return
        assert sequence.slot is not None
        if start and not nonsense:
            assert self.state_memory[sequence.slot] == self.content(sequence, start - 1)
        for snapshot in schedule.snapshots.get(sequence, []):
            assert start < snapshot.num_tokens <= end
            kept = None if nonsense else self.content(sequence, snapshot.num_tokens - 1)
            self.state_memory[snapshot.slot] = kept
        self.state_memory[sequence.slot] = None if nonsense else self.content(sequence, end - 1)

    def check_states(self) -> None:
        """Each slot is free, owned or kept; what is kept is the state behind the block of its key."""
        if self.states is None:
            return
        owned = [sequence.slot for sequence in self.alive if sequence.slot is not None]
        assert len(owned) == len(self.scheduler.running)
        kept, filling = self.states._snapshots, self.states._filling
        slots = [*self.states._free, *kept.values(), *filling.values(), *owned]
        assert sorted(slots) == list(range(self.states.num_slots))
        for key, slot in kept.items():
            assert (content := self.state_memory[slot]) is not None
            tags, tokens = content
            assert BlockKeys(tags, BLOCK_SIZE).of(list(tokens), len(tokens) // BLOCK_SIZE)[-1] == key

    def fail(self, schedule: Schedule) -> None:
        self.scheduler.abandon(schedule)
        numbers = {entry.sequence.arrival for entry in schedule.entries}
        for sequence in [one for one in self.alive if one.arrival in numbers]:
            for block in self.scheduler.discard(sequence):
                assert not self.pool.is_owned(block)
                assert block not in self.pool.cache._keys
            del self.alive[sequence]
        self.failed |= numbers
        self.check_cache()

    def sample(self, sequence: Sequence) -> None:
        family = [sequence]
        while sequence.num_siblings:
            child = self.scheduler.fork(sequence, index=len(family))
            self.alive[child] = self.alive[sequence]
            family.append(child)
        for member in family:
            num_left = self.alive[member] - member.num_output_tokens
            num_new = 1 + member.num_tokens % self.arrivals[member.arrival].max_new_tokens_per_step
            member.token_ids += [member.index] * min(num_new, num_left)
            if member.num_output_tokens == self.alive[member]:
                self.num_finished[member.arrival] += 1
                self.end(member)

    def park(self, beam: Sequence) -> None:
        beam.is_parked = True
        beams = [one for one in self.alive if one.arrival == beam.arrival]
        if all(one.is_parked for one in beams):
            self.advance(beams)

    def advance(self, beams: list[Sequence]) -> None:
        """Gives some of the beams one child or more, as a search does, and ends the others."""
        first = beams[0]
        number, max_tokens = first.arrival, self.alive[first]
        num_beams = self.arrivals[number].num_sequences
        is_last = first.num_output_tokens + 1 == max_tokens
        choose = Random(number * 1000 + first.num_output_tokens)
        parents = [] if is_last else sorted(choose.choices(range(len(beams)), k=num_beams))
        for place, beam in enumerate(beams):
            forks = [self.fork_beam(beam) for _ in range(parents.count(place) - 1)]
            for child in [*forks, beam][: parents.count(place)]:
                child.token_ids.append(choose.randrange(50))
                if child.is_parked:
                    self.scheduler.unpark(child)
            if place not in parents:
                self.end(beam)
        if is_last:
            self.num_finished[number] += num_beams

    def fork_beam(self, parent: Sequence) -> Sequence:
        parent.num_siblings = 1
        self.num_begun[parent.arrival] += 1
        child = self.scheduler.fork(parent, index=self.num_begun[parent.arrival])
        child.num_prompt_tokens = parent.num_prompt_tokens
        self.alive[child] = self.alive[parent]
        return child

    def check(self, schedule: Schedule) -> None:
        entries, running, waiting = schedule.entries, self.scheduler.running, self.scheduler.waiting
        assert schedule.num_rows <= self.max_batch_tokens
        assert len(running) <= self.max_num_sequences
        assert len({entry.sequence for entry in entries}) == len(entries)
        assert len({*running, *waiting}) == len(running) + len(waiting)
        assert {*running, *waiting} == {one for one in self.alive if one.is_running or not one.is_parked}
        assert not any(one.is_parked for one in waiting)
        assert not any(sequence.table.block_ids for sequence in waiting)
        for entry in entries:
            assert entry.sequence in running
            assert not entry.sequence.is_parked
            assert entry.sequence.is_long == self.should_be_long(entry.sequence)
            assert entry.start == entry.sequence.num_computed < entry.end <= entry.sequence.num_tokens
            written = range(entry.start // BLOCK_SIZE, -(-entry.end // BLOCK_SIZE))
            blocks = [entry.sequence.table.block_ids[place] for place in written]
            assert not any(self.pool.is_shared(block) for block in blocks)
            assert not {*blocks} & {*self.pool.cache._keys}
        for sequence, draft in schedule.drafts.items():
            assert draft and sequence in {entry.sequence for entry in entries if entry.reaches_end}
            first, end = sequence.num_tokens // BLOCK_SIZE, sequence.num_tokens + len(draft)
            assert self.original_context is None or sequence.is_long or end <= self.original_context
            ahead = sequence.table.block_ids[first : -(-end // BLOCK_SIZE)]
            assert not any(self.pool.is_shared(block) or block in self.pool.cache._keys for block in ahead)
        assert entries or not self.alive
        self.check_blocks()

    def check_tails(self, decoding: list[Sequence], schedule: Schedule) -> None:
        """A decoding sequence is computed to its end, whatever prompts there are, if the step has room."""
        if sum(one.num_uncomputed for one in decoding) < self.max_batch_tokens:
            at_end = {entry.sequence for entry in schedule.entries if entry.reaches_end}
            assert all(one in at_end or not one.is_running for one in decoding)

    def check_starts(self, schedule: Schedule, ran_before: set[Sequence]) -> None:
        """The cached tokens before each entry were written for this very sequence."""
        for sequence, start, _ in schedule.entries:
            for position in range(start) if self.shares_blocks else ():
                assert self.memory[self.slot(sequence, position)] == self.content(sequence, position)
            if sequence not in ran_before:
                assert start % BLOCK_SIZE == 0
                assert start == 0 or self.arrivals[sequence.arrival].reads_cache
        self.check_progress(schedule)

    def check_progress(self, schedule: Schedule) -> None:
        """Nothing is computed twice, unless its sequence lost its blocks."""
        for sequence, start, end in schedule.entries:
            num_restarts, last_end = self.progress.get(sequence, (-1, 0))
            assert start == last_end or num_restarts < self.num_restarts(sequence)
            self.progress[sequence] = self.num_restarts(sequence), end

    def num_restarts(self, sequence: Sequence) -> int:
        """Return how often it lost its blocks: when it was preempted, and when it became long."""
        return sequence.num_preemptions + sequence.is_long

    def check_blocks(self) -> None:
        self.check_states()
        owners = Counter(block for sequence in self.alive for block in sequence.table.block_ids)
        assert self.shares_blocks or max(owners.values(), default=1) == 1
        free, idle = self.pool._free, self.pool.cache._idle
        assert sorted([*free, *idle, *owners]) == list(range(NUM_BLOCKS))
        assert self.pool.num_free + len(owners) == NUM_BLOCKS
        assert {*idle} <= {*self.pool.cache._keys}
        assert not {*free} & {*self.pool.cache._keys}
        assert [self.pool._num_owners[block] for block in range(NUM_BLOCKS)] == [
            owners[block] for block in range(NUM_BLOCKS)
        ]

    def check_cache(self) -> None:
        """Blocks that can be hit are full of what was written for one sequence."""
        keys = self.pool.cache._keys
        assert {key: block for block, key in keys.items()} == self.pool.cache._blocks
        for block in keys:
            *_, last = contents = self.contents(block)
            assert last is not None
            tags, tokens = last
            ends = range(len(tokens) - BLOCK_SIZE + 1, len(tokens) + 1)
            assert contents == [(tags, tokens[:end]) for end in ends]
        self.check_changes()

    def check_changes(self) -> None:
        """The changes so far tell which blocks are cached, and for which tokens."""
        for change in self.changes.take():
            if isinstance(change, StoredBlock):
                assert change.key not in self.known
                self.known[change.key] = change
            else:
                del self.known[change.key]
        assert {*self.known} == {*self.pool.cache._blocks}
        assert self.changes.present() == [*self.known.values()]
        for key, block in self.pool.cache._blocks.items():
            *_, last = self.contents(block)
            assert last is not None
            tags, tokens = last
            stored, start = self.known[key], len(tokens) - BLOCK_SIZE
            before = BlockKeys(tags, BLOCK_SIZE).of(list(tokens), start // BLOCK_SIZE)
            assert stored.parent == (before[-1] if before else None)
            assert stored.token_ids == tokens[start:]
            assert stored.extra == (() if start else tuple(value for kind, value in tags if kind == "salt"))


def new_simulation(*arrivals: Arrival, max_batch_tokens: int = 100, max_num_sequences: int = 8) -> Simulation:
    simulation = Simulation(max_batch_tokens, max_num_sequences)
    for number, arrival in enumerate(arrivals):
        simulation.add(arrival, number)
    return simulation


def request(
    num_prompt_tokens: int, max_tokens: int = 4, *, num_sequences: int = 1, priority: int = 0
) -> Arrival:
    return Arrival(0, num_prompt_tokens, max_tokens, num_sequences, priority, None)
