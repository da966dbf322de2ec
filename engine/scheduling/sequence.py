"""The scheduler's view of one continuation of one prompt; no torch."""

from dataclasses import dataclass

from engine.info.adapter import Adapter
from engine.request import Media
from engine.scheduling.block_keys import BlockKeys
from engine.scheduling.block_pool import BlockTable

# The most tokens that one step appends to a sequence: the one drawn, and forced tokens after it. A grammar
# that forces a long text would otherwise append as many as a long prompt has, and delay the steps of others.
MAX_NEW_TOKENS_PER_STEP = 16


@dataclass(slots=True, eq=False, weakref_slot=True)
class Sequence:
    """A sequence's tokens, and how many of them have their keys and values in the cache.

    A sequence decodes if one of its tokens is uncomputed, or a few tokens of its output, the last of which
    were forced by its grammar. If more are uncomputed it prefills: its prompt is new, or it was preempted.
    The last token's row gives the next one, so none is drawn twice.

    token_ids: prompt, then output. order: (due, arrival, index) as in `Scheduler`; lower runs first.
    priority: the level that `due` was computed from; lower runs first.
    num_siblings: the number of sequences that will fork from this one once its prompt is computed.
    keys: those of its full blocks. reads_cache: whether it may start from blocks that others have computed.
    adapter: that of its request. Sequences that share blocks have the same one.
    slot: that of its recurrent state while it runs; None for a model without such a state.
    last_snapshot: the key of the snapshot that was last taken of its output.
    is_long: whether it has more tokens than the model's original context, so that all of its keys and values
        are others (`Scheduler`).
    is_parked: whether it waits for its siblings to reach the same length, all of its own tokens having been
        computed (beam search).
    """

    order: tuple[int, int, int]
    token_ids: list[int]
    num_prompt_tokens: int
    table: BlockTable
    keys: BlockKeys
    reads_cache: bool = True
    priority: int = 0
    adapter: Adapter | None = None
    num_computed: int = 0
    num_siblings: int = 0
    num_preemptions: int = 0
    is_long: bool = False
    is_running: bool = False
    slot: int | None = None
    last_snapshot: bytes | None = None
    is_parked: bool = False

    @property
    def arrival(self) -> int:
        return self.order[1]

    @property
    def index(self) -> int:
        return self.order[2]

    @property
    def media(self) -> tuple[Media, ...]:
        """The media of its prompt, by position."""
        return self.keys.media

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
            num_uncomputed <= MAX_NEW_TOKENS_PER_STEP and self.num_computed >= self.num_prompt_tokens
        )
