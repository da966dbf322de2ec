"""The protocol by which the core runs a model."""

from typing import Protocol

import torch
from torch import Tensor

from engine.attention.batch import Batch


class Runner(Protocol):
    """A model on a device, with its KV cache.

    Calls may be asynchronous: a returned tensor may still be being computed on the device.
    """

    @property
    def device(self) -> torch.device:
        """The device of batches and of logits."""

    @property
    def block_size(self) -> int:
        """The number of tokens that a KV block holds."""

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        """Copy the contents of KV blocks; copies: pairs of (source, destination), at least one."""

    def copy_states(self, copies: list[tuple[int, int]]) -> None:
        """Copy state slots, in this order; copies: pairs of (source, destination), at least one."""

    def release_states(self, slots: list[int]) -> None:
        """Free what the states of these slots take; no sequence owns them, and the next begins anew."""

    def clear_blocks(self, blocks: list[int]) -> None:
        """Set KV blocks to zeros."""

    def run(self, batch: Batch, logit_rows: list[int]) -> Tensor:
        """Compute the batch, filling its slots; return raw logits [len(logit_rows), vocab_size].

        An exception fails the requests of the batch, and no others.
        """

    @property
    def failed_media(self) -> frozenset[bytes]:
        """The digests of the last batch's media that could not be encoded.

        Their tokens were computed without them, so the requests that hold them fail, and no others.
        """

    @property
    def hidden_states(self) -> Tensor:
        """The input of the model's head for all rows of the last batch, [num_tokens, hidden_size]."""
