"""The attention backend that runs everywhere: pages are torch tensors; torch or compiled code attends."""

from engine.attention.batch import Batch
from engine.attention.kv_cache.pages import KVPages
from engine.attention.paged_attention import PagedAttention


class PagedBackend:
    """An `AttentionBackend` over `KVPages`."""

    def __init__(self, pages: KVPages) -> None:
        self.pages = pages

    @property
    def num_blocks(self) -> int:
        return self.pages.num_blocks

    @property
    def block_size(self) -> int:
        return self.pages.block_size

    def plan(self, batch: Batch) -> PagedAttention:
        return PagedAttention(batch, self.pages)

    def copy_blocks(self, copies: list[tuple[int, int]]) -> None:
        self.pages.copy(copies)

    def clear_blocks(self, blocks: list[int]) -> None:
        self.pages.clear(blocks)
