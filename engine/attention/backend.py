"""The protocol for ways to keep keys and values on a device, and to attend over them."""

from typing import Any, Protocol

from torch import Tensor, nn

from engine.attention.batch import Batch
from engine.attention.scores import Scores
from engine.attention.selection import Indexer, Selection
from engine.attention.window import Window


class Attention(Protocol):
    """The attention that the model's attention modules call during one forward pass."""

    def attend(
        self,
        module: nn.Module,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        window: Window | Selection | None,
        scores: Scores,
    ) -> Tensor:
        """Cache the keys and values of the batch's rows, then attend from each row to those of its sequence.

        query: [1, num_heads, num_tokens, dim]. key, value: [1, num_kv_heads, num_tokens, dim]; the value's
        dim may differ. window: the part of its sequence that a row sees, or the keys that an indexer chose;
        None for all.
        Returns [1, num_tokens, num_heads, value_dim].
        """

    def select(self, indexer: Indexer, arguments: dict[str, Any]) -> Selection:
        """Cache the index keys of the batch's rows, and choose the keys that each row sees.

        arguments: those of the indexer, for the whole batch.
        """


class AttentionBackend(Protocol):
    """The KV cache of a model, in a layout of its own, and attention over it.

    A block holds `block_size` token slots. The scheduler decides which sequence owns which block.
    """

    @property
    def num_blocks(self) -> int:
        """The number of blocks in the cache."""

    @property
    def block_size(self) -> int:
        """The number of tokens that a block holds."""

    def plan(self, batch: Batch) -> Attention:
        """Return the attention of one forward pass over this batch."""

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        """Copy the contents of blocks; copies: (source, destination), at least one."""

    def clear_blocks(self, blocks: list[int]) -> None:
        """Set blocks to zeros, so that a NaN of a failed step never meets their next owner."""
