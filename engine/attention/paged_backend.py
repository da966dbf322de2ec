"""The attention backend of all devices: pages are torch tensors, over which several kinds of code attend."""

from collections.abc import Callable

from engine.attention.backend import Attention
from engine.attention.batch import Batch
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import PagedAttention


class PagedBackend:
    """An `AttentionBackend` over `KVPages`.

    attention: makes the attention of a batch. The default runs everywhere: torch or compiled code attends.
    """

    def __init__(
        self, pages: KVPages, attention: Callable[[Batch, KVPages], Attention] = PagedAttention
    ) -> None:
        self.pages = pages
        self.attention = attention

    @property
    def num_blocks(self) -> int:
        return self.pages.num_blocks

    @property
    def block_size(self) -> int:
        return self.pages.block_size

    def plan(self, batch: Batch) -> Attention:
        return self.attention(batch, self.pages)

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        self.pages.copy(copies)

    def clear_blocks(self, blocks: list[int]) -> None:
        self.pages.clear(blocks)
