"""The door through which the core has a model computed."""

from typing import Protocol

import torch
from torch import Tensor

from engine.attention.batch import Batch


class Runner(Protocol):
    """A model on a device, and its KV cache: all that the core asks of them.

    A call hands work to the device and need not wait for it; tensors that it returns may still be computed.
    """

    @property
    def device(self) -> torch.device:
        """The device that batches are laid out on, and that logits come on."""

    @property
    def block_size(self) -> int:
        """How many tokens a KV block holds."""

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        """Copy the contents of KV blocks; copies: (source, destination), at least one."""

    def clear_blocks(self, blocks: list[int]) -> None:
        """Set KV blocks to zeros."""

    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Compute the batch, filling its slots; return raw logits [len(logit_rows), vocab_size].

        Whatever it raises ends the requests of the batch, and no others.
        """

    @property
    def hidden_states(self) -> Tensor:
        """[num_tokens, hidden_size] of the batch that ran last, as the model's head gets them."""
