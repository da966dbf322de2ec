"""The door for faster ways to compute a step whose rows all decode."""

from typing import Protocol

from torch import Tensor

from engine.attention.batch import Batch


class DecodePath(Protocol):
    """Computes decoding steps in place of the model's own forward pass, with the same result.

    Both methods are called under `current_attention`.
    """

    def hidden_states(self, batch: Batch) -> Tensor | None:
        """Return [num_rows, hidden_size], what the model hands to its head; None declines the batch."""

    def logits(self, hidden_states: Tensor, rows: list[int]) -> Tensor:
        """Return raw logits [len(rows), vocab_size] of these rows of `hidden_states`."""
