"""Drafts are as long as pays: by how many come true, and by what a row costs."""

from collections.abc import Sequence as Row
from typing import Any

import pytest

from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.block_pool import BlockPool, BlockTable
from engine.scheduling.sequence import Sequence
from engine.speculation.speculator import Speculator
from engine.speculation.step_costs import PRIOR_SHARE, StepCosts

K = 8


class Always:
    """Proposes as many tokens as are asked for."""

    def propose(self, wanted: Row[tuple[Sequence, int]]) -> list[list[int]]:
        return [[0] * length for _, length in wanted]


def new_sequence(arrival: int = 0) -> Sequence:
    table: Any = BlockTable(BlockPool(1, 4))
    return Sequence((0, arrival, 0), [0] * 10, 10, table, BlockKeys((), 4))


def costs(base: float, row: float, *, num_steps: int = 60) -> StepCosts:
    """Costs learned from steps of one to eight rows."""
    learned = StepCosts()
    for step in range(num_steps):
        num_rows = 1 + step % 8
        learned.observe(num_rows, base + row * num_rows)
    return learned


def advance(speculator: Speculator, sequence: Sequence, share: float, num_steps: int) -> tuple[int, int, int]:
    """Run steps in which drafts come true up to that share of them. Returns steps, rows and tokens."""
    num_rows = num_tokens = 0
    for _ in range(num_steps):
        draft = speculator.draft([(sequence, 100)]).get(sequence, [])
        num_accepted = int(share * len(draft))
        sequence.token_ids += [0] * (num_accepted + 1)
        if draft:
            speculator.record(sequence, len(draft), num_accepted)
        num_rows += 1 + len(draft)
        num_tokens += 1 + num_accepted
    return num_steps, num_rows, num_tokens


def test_a_draft_that_comes_true_grows_to_the_longest() -> None:
    speculator, sequence = Speculator(Always(), K), new_sequence()
    lengths = []
    for _ in range(10):
        draft = speculator.draft([(sequence, 100)])[sequence]
        lengths.append(len(draft))
        sequence.token_ids += draft
        speculator.record(sequence, len(draft), len(draft))
    assert lengths == sorted(lengths)
    assert (lengths[0], lengths[-1]) == (1, K)


def test_what_never_comes_true_costs_less_than_three_percent() -> None:
    """A row costs a quarter of a step here, and every step has something to draft."""
    speculator, sequence = Speculator(Always(), K), new_sequence()
    num_steps, num_rows, _ = advance(speculator, sequence, 0.0, 100)
    assert 0 < (num_rows - num_steps) * PRIOR_SHARE < 0.03 * num_steps


def test_a_text_that_begins_to_repeat_is_noticed() -> None:
    speculator, sequence = Speculator(Always(), K), new_sequence()
    advance(speculator, sequence, 0.0, 300)
    num_steps, _, num_tokens = advance(speculator, sequence, 1.0, 300)
    assert num_tokens > 3 * num_steps


def test_a_row_that_costs_as_much_as_a_step_is_not_drafted() -> None:
    speculator, sequence = Speculator(Always(), K, costs=costs(base=0.1, row=1.0)), new_sequence()
    advance(speculator, sequence, 1.0, 20)
    assert speculator.draft([(sequence, 100)]) == {}


def test_a_row_that_costs_little_is_drafted_though_few_come_true() -> None:
    cheap, dear = (Speculator(Always(), K, costs=costs(base=1.0, row=row)) for row in (0.005, 0.25))
    lengths = []
    for speculator in (cheap, dear):
        sequence = new_sequence()
        lengths.append(len(speculator.draft([(sequence, 100)])[sequence]))
    assert lengths[0] > lengths[1] == 1


def test_many_sequences_leave_no_room_for_drafts() -> None:
    speculator = Speculator(Always(), K, most_rows=8)
    sequences = [(new_sequence(arrival), 100) for arrival in range(8)]
    assert speculator.can_draft(7) and not speculator.can_draft(8)
    assert speculator.draft(sequences) == {}
    drafts = speculator.draft(sequences[:6])
    assert sum(map(len, drafts.values())) <= 2


def test_a_draft_is_no_longer_than_the_sequence_may_become() -> None:
    speculator, sequence = Speculator(Always(), K, costs=costs(1.0, 0.0)), new_sequence()
    for limit, expected in ((0, 0), (1, 1), (3, 3)):
        assert len(speculator.draft([(sequence, limit)]).get(sequence, [])) == expected


def test_the_likelier_draft_gets_the_row() -> None:
    speculator = Speculator(Always(), K, costs=costs(1.0, 0.0), most_rows=4)
    good, bad = new_sequence(0), new_sequence(1)
    for _ in range(10):
        speculator.record(good, 1, 1)
        speculator.record(bad, 1, 0)
    assert list(speculator.draft([(bad, 5), (good, 5)])) == [good]


@pytest.mark.parametrize(("base", "row"), [(1.0, 0.0), (1.0, 0.3), (0.02, 0.001)])
def test_costs_are_learned_from_steps(base: float, row: float) -> None:
    learned = costs(base, row, num_steps=300)
    assert learned.seconds(1) == pytest.approx(base + row, rel=0.1)
    assert learned.row_seconds == pytest.approx(row, rel=0.15, abs=0.04 * base)


def test_a_row_costs_the_prior_share_until_steps_differ() -> None:
    learned = StepCosts()
    assert learned.row_seconds == PRIOR_SHARE * learned.seconds(1)
    for _ in range(100):
        learned.observe(1, 0.02)
    assert learned.row_seconds == pytest.approx(PRIOR_SHARE * 0.02)


def test_a_step_that_was_held_up_is_not_taken_for_the_cost_of_its_rows() -> None:
    learned = costs(1.0, 0.05, num_steps=200)
    before = learned.row_seconds
    learned.observe(8, 1000.0)
    assert learned.row_seconds < before + 0.05
