"""The protocol for faster ways to compute a step whose rows all decode."""

from typing import Protocol

from torch import Tensor

from engine.attention.batch import Batch


class DecodePath(Protocol):
    """A replacement of the model's forward pass in decoding steps, with the same result.

    Both methods are called under `current_attention` and `current_adapters`.
    """

    def hidden_states(self, batch: Batch) -> Tensor | None:
        """Return the input of the model's head, [num_rows, hidden_size]; None to decline the batch.

        A batch with adapters must be declined unless the path applies them in place of the modules that it
        leaves out.
        """

    def logits(self, hidden_states: Tensor, rows: list[int]) -> Tensor:
        """Return raw logits [len(rows), vocab_size] of these rows of `hidden_states`."""
