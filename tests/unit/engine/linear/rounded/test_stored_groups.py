"""Unread layers are packed in their groups, or get plain weights where no groups hold them."""

from typing import Any

import torch
from torch import nn

from engine.linear.merged_linear import JoinedLinear
from engine.linear.rounded.stored_groups import StoredLinear, pack_unread_linears
from engine.linear.unread_linear import UnreadLinear
from engine.weights.grouped_weight import GroupForm
from tests.support.selection.instructions import needs_compiler
from tests.unit.engine.linear.test_unread_linear import InMemory, of_groups


class Model(nn.Module):
    """A model with one layer, of six bits beside four with mins, and without a head."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        six, four = of_groups(6, 16), of_groups(4, 32, has_mins=True)
        six = six._replace(scales=torch.full_like(six.scales, scale))
        parts = [
            UnreadLinear(nn.Linear(256, 40, bias=False, device="meta"), InMemory(weight))
            for weight in (six, four)
        ]
        self.joined = JoinedLinear(list(parts))

    def get_output_embeddings(self) -> None:
        """Transformers' name for the head."""


@needs_compiler
def test_layers_of_several_forms_have_the_smallest_with_room_for_both() -> None:
    model: Any = Model(0.01)
    assert not pack_unread_linears(model)
    assert isinstance(model.joined, StoredLinear)
    assert model.joined.packed.groups == GroupForm(6, 16, has_mins=True)


@needs_compiler
def test_mins_too_large_for_float16_give_a_plain_weight_that_is_named() -> None:
    """32 times the scale is more than 65,504, and the numbers themselves are less."""
    model: Any = Model(2100.0)
    assert "mins are not finite" in pack_unread_linears(model)["joined"]
    assert type(model.joined) is nn.Linear
