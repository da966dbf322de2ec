"""Each row of a module with a recurrent state is computed from the state of its own sequence.

The module here adds up the token ids of a sequence, so that a row must be the sum of all ids up to its own.
"""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.attention.batch import Batch, build_batch
from engine.port.errors import ModelNotSupported
from engine.port.request import Prompt
from engine.scheduling.block_pool import BlockPool
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence
from engine.scheduling.sequence_states import SequenceStates
from engine.scheduling.state_slots import StateSlots
from engine.state.by_sequence import StateRows, compute_by_sequence, current_states
from engine.state.geometry import StateGeometry, StateTensor
from engine.state.probe import StateModule
from engine.state.store import StateStore

_BLOCK_SIZE, _LAYER, _NUM_SLOTS = 4, 1, 8
_CPU = torch.device("cpu")


class Sums(nn.Module):
    """A layer of one state: the sum of all rows so far. shapes: those of its calls' rows."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: list[tuple[int, ...]] = []

    @override
    def forward(self, rows: Tensor, weight: Tensor, *, past: Any) -> Tensor:
        """rows: [batch, num_tokens, 1]. weight: of any other shape."""
        assert weight.shape == (3,), "it is no argument of rows"
        self.shapes.append(tuple(rows.shape))
        before = past.get_recurrent_state(_LAYER)
        sums = rows.cumsum(dim=1) + (0 if before is None else before[:, None])
        past.update_recurrent_state(sums[:, -1].clone(), _LAYER)
        return sums


class Engine:
    """A scheduler, and the module's computation of what it schedules."""

    def __init__(self, *, is_stepwise: bool = False, max_batch_tokens: int = 64) -> None:
        self.module = Sums()
        compute_by_sequence([StateModule(self.module, _LAYER, "past")])
        tensor = StateTensor(_LAYER, "recurrent_states", 0, (1,), torch.float32)
        self.store = StateStore(StateGeometry((tensor,)), _NUM_SLOTS, _CPU)
        self.is_stepwise = is_stepwise
        self.scheduler = Scheduler(
            BlockPool(64, _BLOCK_SIZE),
            max_batch_tokens=max_batch_tokens,
            max_num_sequences=3,
            states=SequenceStates(StateSlots(_NUM_SLOTS), _BLOCK_SIZE),
        )

    def add(self, token_ids: tuple[int, ...], *, arrival: int, num_siblings: int = 0) -> Sequence:
        sequence = self.scheduler.new_sequence(
            order=(0, arrival, 0), prompt=Prompt(token_ids), num_siblings=num_siblings
        )
        self.scheduler.add(sequence)
        return sequence

    def step(self) -> Batch:
        """Compute a step, whose rows must be the sums of their sequences' tokens."""
        schedule = self.scheduler.schedule()
        self.store.copy(schedule.state_copies)
        batch = build_batch(schedule.entries, _BLOCK_SIZE, snapshots=schedule.snapshots)
        rows = StateRows(batch, self.store, is_stepwise=self.is_stepwise)
        token = current_states.set(rows)
        try:
            sums = self.module(batch.input_ids.float()[None, :, None], torch.ones(3), past=None)
        finally:
            current_states.reset(token)
        rows.keep_ends()
        expected = [
            sum(entry.sequence.token_ids[: position + 1])
            for entry in batch.entries
            for position in range(entry.start, entry.end)
        ]
        assert sums[0, :, 0].tolist() == expected
        self.scheduler.complete(schedule)
        for entry in schedule.entries:
            if entry.sequence.num_uncomputed == 0:
                entry.sequence.token_ids.append(entry.sequence.num_tokens)
        return batch


@pytest.mark.parametrize("is_stepwise", [False, True])
def test_chunks_and_decoding_rows_of_one_batch_have_their_own_states(is_stepwise: bool) -> None:
    engine = Engine(is_stepwise=is_stepwise, max_batch_tokens=7)
    for arrival, length in enumerate((3, 17, 6)):
        engine.add(tuple(range(10 * arrival, 10 * arrival + length)), arrival=arrival)
    kinds = set()
    for _ in range(12):
        batch = engine.step()
        kinds.add((bool(batch.decodes), bool(batch.chunks)))
    assert (True, True) in kinds and (True, False) in kinds


def test_decoding_rows_are_one_computation() -> None:
    engine = Engine()
    for arrival in range(3):
        engine.add((arrival, 7), arrival=arrival)
    engine.step()
    assert engine.module.shapes == [(1, 2, 1)] * 3
    engine.module.shapes.clear()
    engine.step()
    assert engine.module.shapes == [(3, 1, 1)]


def test_a_chunk_that_continues_is_computed_token_by_token_where_its_code_must() -> None:
    engine = Engine(is_stepwise=True, max_batch_tokens=4)
    engine.add(tuple(range(10)), arrival=0)
    engine.step()
    engine.step()
    assert engine.module.shapes == [(1, 4, 1), *[(1, 1, 1)] * 4]


@pytest.mark.parametrize("num_output_tokens", [0, 7])
def test_a_sequence_starts_from_the_state_that_was_kept_of_another(num_output_tokens: int) -> None:
    """It is kept inside of a chunk, behind the prompt's last full block, or behind a decoding row."""
    engine = Engine()
    first = engine.add(tuple(range(10)), arrival=0)
    for _ in range(1 + num_output_tokens):
        engine.step()
    tokens = tuple(first.token_ids[:-1])
    engine.scheduler.remove(first)
    engine.add((*tokens, 50), arrival=1)
    [entry] = engine.step().entries
    assert entry.start == len(tokens) // _BLOCK_SIZE * _BLOCK_SIZE


def test_a_fork_goes_on_by_itself() -> None:
    engine = Engine()
    parent = engine.add((1, 2, 3), arrival=0, num_siblings=1)
    engine.step()
    parent.token_ids.pop()
    child = engine.scheduler.fork(parent, index=1)
    parent.token_ids.append(20)
    child.token_ids.append(30)
    for _ in range(3):
        engine.step()


def test_a_module_that_returns_more_than_its_rows_is_refused() -> None:
    def forward(rows: Tensor, weight: Tensor, *, past: Any) -> Any:
        return rows, None

    engine = Engine()
    module: Any = engine.module
    module.forward = forward
    compute_by_sequence([StateModule(module, _LAYER, "past")])
    engine.add((1, 2), arrival=0)
    with pytest.raises(ModelNotSupported, match="Sums returns more than its hidden states"):
        engine.step()


def test_beyond_a_batch_a_module_computes_as_it_did() -> None:
    engine = Engine()
    cache = engine.store.of_slot(_LAYER, 0, is_fresh=True)
    sums = engine.module(torch.ones(1, 3, 1), torch.ones(3), past=cache)
    assert sums[0, :, 0].tolist() == [1.0, 2.0, 3.0]
