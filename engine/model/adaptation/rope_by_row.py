"""Rotary embeddings that depend on the length of a sequence, computed for each row of a batch by itself.

LongRoPE (Ding et al. 2024, arXiv 2402.13753) has two sets of frequencies: a sequence of more tokens than the
model was first trained for uses the long set in all its rows, the earlier ones included. transformers chooses
one set for a whole batch, by its highest position.
"""

from contextvars import ContextVar
from typing import Final

import torch
from torch import Tensor, nn
from typing_extensions import override

current_long_rows: ContextVar[Tensor | None] = ContextVar("current_long_rows", default=None)
"""Bool [num_tokens]: the rows of sequences beyond the original context; None if there are none."""

_LONGROPE: Final = "longrope"


class RopeByRow(nn.Module):
    """A replacement of a model's rotary embedding, which computes both sets and gives each row its own.

    Both are what the model's own module computes: it chooses by the highest position of its batch, so each
    set comes from positions on only one side of the original context.
    """

    def __init__(self, rotary: nn.Module, original_context: int) -> None:
        """Wrap a rotary embedding.

        rotary: takes hidden states and positions [1, num_tokens].
        original_context: the model's original context, in tokens.
        """
        super().__init__()
        self.rotary = rotary
        self._original_context = original_context

    @override
    def forward(self, hidden_states: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosine and sine, [1, num_tokens, dim] each. Without long rows, positions decide as they do
        in transformers.
        """
        is_long = current_long_rows.get()
        if is_long is None:
            result: tuple[Tensor, Tensor] = self.rotary(hidden_states, position_ids)
            return result
        beyond = position_ids.new_full((1, 1), self._original_context)
        cosine, sine = self.rotary(hidden_states, torch.cat([position_ids, beyond], dim=1))
        long = cosine[:, :-1], sine[:, :-1]
        within = position_ids.clamp(max=self._original_context - 1)  # changes only long rows
        short = self.rotary(hidden_states, within)
        is_long = is_long[None, :, None]
        return torch.where(is_long, long[0], short[0]), torch.where(is_long, long[1], short[1])


def install_rope_by_row(model: nn.Module, original_context: int) -> int:
    """Replace the model's rotary embeddings of this kind, and return how many there were."""
    places = [
        (parent, name, child)
        for parent in model.modules()
        for name, child in parent.named_children()
        if getattr(child, "rope_type", None) == _LONGROPE
    ]
    for parent, name, child in places:
        setattr(parent, name, RopeByRow(child, original_context))
    return len(places)
