"""The door for ways to keep keys and values on a device, and to attend over them."""

from typing import Protocol

from torch import Tensor, nn

from engine.attention.batch import Batch
from engine.attention.scores import Scores


class Attention(Protocol):
    """What stands behind the model's attention modules during one forward pass."""

    def attend(
        self, module: nn.Module, query: Tensor, key: Tensor, value: Tensor, window: int | None, scores: Scores
    ) -> Tensor:
        """Cache the keys and values of the batch's rows, and let each row attend to its sequence's.

        query: [1, num_heads, num_tokens, dim]. key, value: [1, num_kv_heads, num_tokens, dim]; the value's
        dim may differ. window: tokens that a row sees, itself included; None sees all.
        Returns [1, num_tokens, num_heads, value_dim].
        """


class AttentionBackend(Protocol):
    """The KV cache of a model, in a layout that nobody else knows, and attention over it.

    A block holds `block_size` token slots; which sequence owns which block is the scheduler's affair.
    """

    @property
    def num_blocks(self) -> int:
        """How many blocks the cache has."""

    @property
    def block_size(self) -> int:
        """How many tokens a block holds."""

    def plan(self, batch: Batch) -> Attention:
        """Return the attention of one forward pass over this batch."""

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        """Copy the contents of blocks; copies: (source, destination), at least one."""

    def clear_blocks(self, blocks: list[int]) -> None:
        """Set blocks to zeros, so that a NaN of a failed step never meets their next owner."""
