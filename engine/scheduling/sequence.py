"""The scheduler's view of one continuation of one prompt; no torch."""

from dataclasses import dataclass

from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.block_pool import BlockTable

# Tokens that a sequence may append at once, before the first of them is computed. A grammar that allows one
# token in each place could otherwise append a prompt's worth, which would compete with the steps of others.
MAX_TAIL = 16


@dataclass(slots=True, eq=False)
class Sequence:
    """A sequence's tokens, and how many of them have their keys and values in the cache.

    A sequence whose `num_computed` is one short of its tokens decodes, or a few short in its output: this is
    its tail, where a grammar left no choice. With more missing it prefills, be it a new prompt or one that
    lost its cache. The last token's row gives the next one, so none is drawn twice.

    token_ids: prompt, then output. order: (due, arrival, index) as in `Scheduler`; lower runs first.
    priority: the level that `due` was reckoned from; lower runs first.
    num_siblings: sequences that will fork from this one once its prompt is computed.
    keys: of its full blocks. reads_cache: whether it may start from blocks that others have computed.
    is_parked: all tokens are computed or were, and none follows until its siblings are as far (beam search).
    """

    order: tuple[int, int, int]
    token_ids: list[int]
    num_prompt_tokens: int
    table: BlockTable
    keys: BlockKeys
    reads_cache: bool = True
    priority: int = 0
    num_computed: int = 0
    num_siblings: int = 0
    num_preemptions: int = 0
    is_running: bool = False
    is_parked: bool = False

    @property
    def arrival(self) -> int:
        return self.order[1]

    @property
    def index(self) -> int:
        return self.order[2]

    @property
    def num_tokens(self) -> int:
        return len(self.token_ids)

    @property
    def num_uncomputed(self) -> int:
        return len(self.token_ids) - self.num_computed

    @property
    def num_output_tokens(self) -> int:
        return len(self.token_ids) - self.num_prompt_tokens

    @property
    def is_decoding(self) -> bool:
        num_uncomputed = len(self.token_ids) - self.num_computed
        return num_uncomputed == 1 or (
            num_uncomputed <= MAX_TAIL and self.num_computed >= self.num_prompt_tokens
        )
