"""The sequences that wait and those that run, and their moves between the two; pure."""

from bisect import insort

from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import SequenceStates


def _order(sequence: Sequence) -> tuple[int, int, int]:
    return sequence.order


class Queues:
    """The sequences of a scheduler. Those that leave those that run lose their blocks and their state.

    waiting, running: both sorted by order. A parked sequence that has lost its blocks is in neither.
    """

    def __init__(self, states: SequenceStates | None) -> None:
        """Begin without sequences. states: as of `Scheduler`."""
        self._states = states
        self.waiting: list[Sequence] = []
        self.running: list[Sequence] = []

    def wait(self, sequence: Sequence) -> None:
        """Add a sequence that owns no blocks to those that wait."""
        insort(self.waiting, sequence, key=_order)

    def run(self, sequence: Sequence) -> None:
        """Add a sequence that owns blocks to those that run."""
        sequence.is_running = True
        insort(self.running, sequence, key=_order)

    def remove(self, sequence: Sequence) -> None:
        """Remove a sequence, whatever its state, and free its blocks."""
        if sequence.is_running:
            self.running.remove(sequence)
        elif not sequence.is_parked:
            self.waiting.remove(sequence)
        sequence.is_running = False
        sequence.table.release()
        if self._states is not None:
            self._states.end(sequence)

    def restart(self, sequence: Sequence) -> None:
        """Let a sequence that runs wait, to be computed again from its first token."""
        self.remove(sequence)
        sequence.num_computed = 0
        if not sequence.is_parked:
            self.wait(sequence)

    def preempt(self, victim: Sequence) -> None:
        """Take its blocks from a sequence that runs, for others."""
        self.restart(victim)
        victim.num_preemptions += 1
