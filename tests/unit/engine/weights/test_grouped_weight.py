"""Tests of weights in groups, and of their rounding."""

import pytest
import torch

from engine.linear.group_rounding import round_to_groups
from engine.weights.grouped_weight import (
    GROUP_BITS,
    GROUP_SIZES,
    GroupBits,
    GroupedWeight,
    GroupForm,
    fewest_bits,
)


def _weight(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)) * 0.03


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(("bits", "most"), [(4, 0.1), (5, 0.05), (6, 0.025), (8, 0.006)])
@pytest.mark.parametrize("group_size", GROUP_SIZES)
def test_a_rounded_weight_is_near_the_plain_one(
    group_size: int, bits: GroupBits, most: float, *, symmetric: bool
) -> None:
    if fewest_bits(bits, group_size) != bits:
        return
    weight = _weight(40, 256)
    rounded = round_to_groups(weight, bits, group_size, symmetric=symmetric)
    rounded.check()
    assert (rounded.mins is None) == symmetric
    assert (rounded.plain() - weight).norm() < most * (1.2 if group_size > 32 else 1) * weight.norm()


def test_the_search_beats_the_scale_of_the_largest_magnitude() -> None:
    weight = _weight(64, 512)
    groups = weight.view(64, -1, 32)
    largest = groups.abs().amax(dim=-1, keepdim=True)
    simple = (groups / (largest / 7)).round() * (largest / 7)
    error = (round_to_groups(weight, 4, 32).plain() - weight).norm()
    assert error < 0.93 * (simple.flatten(1) - weight).norm()


def test_a_line_through_the_numbers_beats_the_steps_of_their_range() -> None:
    weight = _weight(64, 512)
    groups = weight.view(64, -1, 32)
    least = groups.amin(dim=-1, keepdim=True)
    step = (groups.amax(dim=-1, keepdim=True) - least) / 15
    simple = ((groups - least) / step).round() * step + least
    error = (round_to_groups(weight, 4, 32, symmetric=False).plain() - weight).norm()
    assert error < 0.95 * (simple.flatten(1) - weight).norm()


@pytest.mark.parametrize("bits", GROUP_BITS)
def test_groups_of_one_number_and_groups_far_from_zero_keep_it_as_their_min(bits: GroupBits) -> None:
    assert torch.equal(
        round_to_groups(torch.full((3, 64), 5.5), bits, 32, symmetric=False).plain(), torch.full((3, 64), 5.5)
    )
    weight = 8 + _weight(3, 64)
    difference = (round_to_groups(weight, bits, 32, symmetric=False).plain() - weight).abs().max()
    assert difference < 0.02  # half a step of the integers, and half a step of float16 at 8


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("bits", GROUP_BITS)
def test_groups_of_zeros_stay_zeros(bits: GroupBits, *, symmetric: bool) -> None:
    rounded = round_to_groups(torch.zeros(3, 64), bits, 32, symmetric=symmetric)
    assert not rounded.plain().any()


def test_integers_times_a_scale_come_back_exactly() -> None:
    values = torch.arange(-8, 8).repeat(4, 2).float()
    assert torch.equal(round_to_groups(values * 0.25, 4, 32).plain(), values * 0.25)


def test_outputs_are_chosen_and_concatenated() -> None:
    weight = round_to_groups(_weight(8, 64), 4, 32, symmetric=False)
    first, second = weight.of_outputs(slice(0, 3)), weight.of_outputs(torch.tensor([3, 4, 5, 6, 7]))
    whole = GroupedWeight.concatenated([first, second])
    assert torch.equal(whole.plain(), weight.plain())


@pytest.mark.parametrize("symmetric", [True, False])
def test_columns_may_have_another_order_than_inputs(*, symmetric: bool) -> None:
    weight = round_to_groups(_weight(8, 64), 4, 32, symmetric=symmetric)
    order = torch.randperm(64, generator=torch.Generator().manual_seed(1)).int()
    ordered = weight._replace(order=order)
    ordered.check()
    assert torch.equal(ordered.plain()[:, order], weight.plain())
    first, second = ordered.of_outputs(slice(0, 3)), ordered.of_outputs(slice(3, 8))
    whole = GroupedWeight.concatenated([first.widened(GroupForm(8, 16, has_mins=True)), second])
    whole.check()
    assert torch.equal(whole.plain(), ordered.plain())


_FORMS = [
    GroupForm(bits, group_size, has_mins)
    for bits in GROUP_BITS
    for group_size in (16, 32, 64)
    for has_mins in (False, True)
    if fewest_bits(bits, group_size) == bits
]


@pytest.mark.parametrize("first", _FORMS)
def test_weights_of_several_forms_become_one_without_rounding(first: GroupForm) -> None:
    for second in _FORMS:
        weights = [
            round_to_groups(
                _weight(num_outputs, 128), form.bits, form.group_size, symmetric=not form.has_mins
            )
            for num_outputs, form in ((3, first), (5, second))
        ]
        whole = GroupedWeight.concatenated(weights)
        whole.check()
        assert whole.form == first.with_room_for(second) == second.with_room_for(first)
        assert torch.equal(whole.plain(), torch.cat([weight.plain() for weight in weights])), second


def test_the_smallest_form_with_room_for_two_has_as_many_bits_as_its_groups_allow() -> None:
    fives, fours = GroupForm(5, 32, has_mins=False), GroupForm(4, 64, has_mins=True)
    assert fives.with_room_for(fours) == GroupForm(5, 32, has_mins=True)
    assert fives.with_room_for(GroupForm(4, 16, has_mins=False)) == GroupForm(6, 16, has_mins=False)
    assert fives.with_room_for(GroupForm(6, 16, has_mins=False)) == GroupForm(6, 16, has_mins=False)
    assert fives.with_room_for(GroupForm(8, 32, has_mins=False)) == GroupForm(8, 32, has_mins=False)


def test_the_memory_of_a_form_is_that_of_its_integers_and_scales() -> None:
    assert GroupForm(4, 32, has_mins=False).num_bytes(10, 64) == 320 + 40
    assert GroupForm(8, 16, has_mins=True).num_bytes(10, 64) == 640 + 160
    assert GroupForm(6, 16, has_mins=False).num_bytes(10, 64) == 480 + 80
    assert GroupForm(5, 32, has_mins=True).num_bytes(10, 64) == 400 + 80


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group_size": 48}, "no whole groups of 48"),
        ({"values": torch.full((2, 64), 16, dtype=torch.uint8)}, "exceeds 15"),
        ({"values": torch.zeros(2, 64, dtype=torch.int8)}, "are not torch.int8"),
        ({"scales": torch.ones(2, 3).half()}, "scales are"),
        ({"mins": torch.full((2, 2), torch.inf).half()}, "mins are not finite"),
        ({"order": torch.arange(64)}, "does not name each of 64 inputs once"),
        ({"order": torch.arange(63).int()}, "does not name each of 64 inputs once"),
        ({"order": torch.arange(1, 65).int()}, "does not name each of 64 inputs once"),
        ({"order": torch.zeros(64).int()}, "does not name each of 64 inputs once"),
    ],
)
def test_what_is_no_such_weight_is_refused(change: dict[str, object], message: str) -> None:
    weight = round_to_groups(_weight(2, 64), 4, 32, symmetric=False)
    weight.check()
    with pytest.raises(ValueError, match=message):
        weight._replace(**change).check()  # type: ignore[arg-type]  # as parametrised
