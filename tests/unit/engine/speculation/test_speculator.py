"""Drafts are as long as pays: by how many come true, and by what a row costs."""

from collections.abc import Sequence as SequenceOf
from typing import Any

import pytest

from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.block_pool import BlockPool, BlockTable
from engine.scheduling.sequence import Sequence
from engine.speculation.proposer import Proposal
from engine.speculation.speculator import Speculator
from engine.speculation.step_costs import PRIOR_SHARE, StepCosts

K = 8


class Always:
    """Proposes as many tokens as are asked for, which match as many as it is given."""

    def __init__(self, num_matched: int = 8) -> None:
        self.num_matched = num_matched

    def propose(self, wanted: SequenceOf[tuple[Sequence, int]]) -> list[Proposal]:
        return [Proposal([0] * length, self.num_matched) for _, length in wanted]


def new_sequence(arrival: int = 0) -> Sequence:
    table: Any = BlockTable(BlockPool(1, 4))
    return Sequence((0, arrival, 0), [0] * 10, 10, table, BlockKeys((), 4))


def costs(*seconds: float, num_steps: int = 300) -> StepCosts:
    """Costs learned from steps of one row, two and so on."""
    learned = StepCosts()
    for step in range(num_steps):
        learned.observe(1 + step % len(seconds), seconds[step % len(seconds)])
    return learned


def line(base: float, row: float) -> StepCosts:
    return costs(*(base + row * num_rows for num_rows in range(1, 17)))


def prior() -> StepCosts:
    return line(1.0, PRIOR_SHARE)


def advance(speculator: Speculator, sequence: Sequence, num_right: int, num_steps: int) -> tuple[int, int]:
    """Run steps in which so many proposed tokens come true. Returns the rows drafted and tokens gained."""
    num_drafted = num_gained = 0
    for _ in range(num_steps):
        draft = speculator.draft([(sequence, 100)]).get(sequence, [])
        num_accepted = min(num_right, len(draft))
        sequence.token_ids += [0] * num_accepted + [0 if num_right > num_accepted else 1]
        num_drafted += len(draft)
        num_gained += num_accepted
    return num_drafted, num_gained


def test_a_proposal_that_comes_true_is_drafted_whole() -> None:
    speculator, sequence = Speculator(Always(), K, costs=prior()), new_sequence()
    advance(speculator, sequence, K, 10)
    assert len(speculator.draft([(sequence, 100)])[sequence]) == K


def test_what_never_comes_true_is_soon_not_drafted() -> None:
    """A row costs its prior share here, and every step has something to draft."""
    for num_matched in (1, 2, 8):
        speculator, sequence = Speculator(Always(num_matched), K, costs=prior()), new_sequence()
        num_drafted, _ = advance(speculator, sequence, 0, 300)
        assert num_drafted * PRIOR_SHARE < 0.03 * 300


def test_a_text_that_begins_to_repeat_is_noticed_without_a_row_to_try_it() -> None:
    speculator, sequence = Speculator(Always(), K, costs=prior()), new_sequence()
    advance(speculator, sequence, 0, 300)
    assert speculator.draft([(sequence, 100)]) == {}
    _, num_gained = advance(speculator, sequence, K, 100)
    assert num_gained > 400


def test_longer_matches_are_trusted_sooner() -> None:
    lengths = []
    for num_matched in (1, 3, 8):
        speculator, sequence = Speculator(Always(num_matched), K, costs=prior()), new_sequence()
        lengths.append(len(speculator.draft([(sequence, 100)]).get(sequence, [])))
    assert lengths[0] < lengths[1] < lengths[2]


def test_what_short_matches_gave_is_not_held_against_long_ones() -> None:
    proposer, sequence = Always(1), new_sequence()
    speculator = Speculator(proposer, K, costs=line(1.0, 0.02))
    advance(speculator, sequence, 0, 100)
    assert speculator.draft([(sequence, 100)]) == {}
    proposer.num_matched = 8
    assert len(speculator.draft([(sequence, 100)])[sequence]) > 4


def test_a_row_that_costs_as_much_as_a_step_is_not_drafted() -> None:
    speculator, sequence = Speculator(Always(), K, costs=line(base=0.0, row=1.0)), new_sequence()
    advance(speculator, sequence, K, 20)
    assert speculator.draft([(sequence, 100)]) == {}


def test_a_row_that_costs_little_is_drafted_though_few_come_true() -> None:
    cheap, dear = (Speculator(Always(2), K, costs=line(base=1.0, row=row)) for row in (0.005, 0.25))
    lengths = []
    for speculator in (cheap, dear):
        sequence = new_sequence()
        lengths.append(len(speculator.draft([(sequence, 100)]).get(sequence, [])))
    assert lengths[0] > lengths[1]


def test_rows_that_are_dear_from_some_number_on_are_left_out_and_a_dear_one_among_cheap_ones_is_not() -> None:
    speculator, sequence = Speculator(Always(), K, costs=costs(*[1.0] * 4, *[2.0] * 5)), new_sequence()
    assert len(speculator.draft([(sequence, 100)])[sequence]) == 3
    bumpy = Speculator(Always(), K, costs=costs(1.0, 1.8, *[1.1] * 7))
    assert len(bumpy.draft([(sequence, 100)])[sequence]) == K


def test_many_sequences_leave_no_room_for_drafts() -> None:
    speculator = Speculator(Always(), K, costs=prior(), most_rows=8)
    sequences = [(new_sequence(arrival), 100) for arrival in range(8)]
    assert speculator.can_draft(7) and not speculator.can_draft(8)
    assert speculator.draft(sequences) == {}
    drafts = speculator.draft(sequences[:6])
    assert sum(map(len, drafts.values())) <= 2


def test_a_draft_is_no_longer_than_the_sequence_may_become() -> None:
    speculator, sequence = Speculator(Always(), K, costs=line(1.0, 0.0)), new_sequence()
    for limit, expected in ((0, 0), (1, 1), (3, 3)):
        assert len(speculator.draft([(sequence, limit)]).get(sequence, [])) == expected


def test_the_likelier_draft_gets_the_row() -> None:
    speculator = Speculator(Always(), K, costs=line(1.0, 0.0), most_rows=4)
    good, bad = new_sequence(0), new_sequence(1)
    advance(speculator, good, K, 20)
    advance(speculator, bad, 0, 20)
    assert list(speculator.draft([(bad, 5), (good, 5)])) == [good]


@pytest.mark.parametrize(("base", "row"), [(1.0, 0.0), (1.0, 0.5), (0.02, 0.001)])
def test_costs_are_learned_from_steps(base: float, row: float) -> None:
    learned = line(base, row)
    for num_rows in (1, 5, 16):
        expected = (base + row * num_rows) / (base + row)
        assert learned.seconds(num_rows) / learned.seconds(1) == pytest.approx(expected, rel=0.1)


def test_costs_between_and_beyond_those_seen_are_reckoned_from_them() -> None:
    learned = StepCosts()
    assert learned.seconds(3) == pytest.approx(learned.seconds(1) * (1 + 2 * PRIOR_SHARE))
    for _ in range(50):
        learned.observe(2, 1.0)
        learned.observe(8, 1.3)
    assert learned.seconds(3) == pytest.approx(1 + PRIOR_SHARE / (1 + PRIOR_SHARE), rel=0.02)
    assert learned.seconds(7) == pytest.approx(1.3, rel=0.02)
    assert learned.seconds(9) > learned.seconds(8) and learned.seconds(1) < learned.seconds(2)


def test_the_best_number_of_rows_below_one_that_is_too_dear_is_found() -> None:
    """Sixteen rows take twice the time of eight here, and twelve not much more."""
    seconds = [1.0] * 8 + [1.16] * 4 + [2.0] * 4
    speculator = Speculator(Always(), K)
    sequences = [(new_sequence(arrival), 100) for arrival in range(8)]
    numbers = []
    for _ in range(100):
        drafts = speculator.draft(sequences)
        numbers.append(8 + sum(map(len, drafts.values())))
        speculator.costs.observe(numbers[-1], seconds[numbers[-1] - 1])
        for sequence, _ in sequences:
            sequence.token_ids += [0] * (1 + len(drafts.get(sequence, [])))
    assert numbers[0] == 8
    assert numbers[-40:].count(12) > 30


def test_steps_that_seemed_dear_without_drafts_are_measured_again() -> None:
    """Else drafts that never come true would seem to cost nothing from then on."""
    learned = StepCosts()
    for seconds in (1.0, 1.0, 1.5):
        learned.observe(8, seconds)
    speculator = Speculator(Always(2), K, costs=learned)
    sequences = [(new_sequence(arrival), 100) for arrival in range(8)]
    num_drafted = 0
    for _ in range(200):
        num_rows = 8 + sum(map(len, speculator.draft(sequences).values()))
        learned.observe(num_rows, 1 + 0.05 * (num_rows - 8))
        num_drafted += num_rows - 8
        for sequence, _ in sequences:
            sequence.token_ids.append(1)
    assert num_drafted * 0.05 < 0.03 * 200


def test_a_machine_that_slows_down_changes_no_ratio() -> None:
    learned = line(1.0, 0.1)
    before = learned.seconds(9) / learned.seconds(1)
    for _ in range(50):
        learned.observe(1, 2.2)
    assert learned.seconds(1) == pytest.approx(2.2, rel=0.05)
    assert learned.seconds(9) / learned.seconds(1) == pytest.approx(before, rel=0.2)


def test_a_step_that_was_held_up_does_not_change_what_rows_cost_for_long() -> None:
    learned = StepCosts()
    for _ in range(200):
        learned.observe(1, 1.0)
    learned.observe(2, 1000.0)
    assert learned.seconds(2) < 2
    for _ in range(600):
        learned.observe(1, 1.0)
    assert learned.seconds(2) == pytest.approx(1 + PRIOR_SHARE, rel=0.01)


def test_what_is_kept_of_steps_is_bounded() -> None:
    learned = StepCosts()
    for num_rows in range(1, 1000):
        learned.observe(num_rows, 1.0)
    assert len(learned._factors) <= 64
