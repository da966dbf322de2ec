"""The scheduler's view of one continuation of one prompt; no torch."""

from dataclasses import dataclass

from engine.port.info.adapter import Adapter
from engine.port.request import Media
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
    """

    order: tuple[int, int, int]
    """(due, arrival, index) as in `Scheduler`; lower runs first."""

    token_ids: list[int]
    """The tokens of the prompt, then those of the output."""

    num_prompt_tokens: int
    """The number of the prompt's tokens."""

    table: BlockTable
    """The blocks that hold its keys and values."""

    keys: BlockKeys
    """The keys of its full blocks."""

    reads_cache: bool = True
    """True if it may start from blocks that others have computed."""

    priority: int = 0
    """The level that `due` was computed from; lower runs first."""

    adapter: Adapter | None = None
    """The adapter of its request. Sequences that share blocks have the same one."""

    num_computed: int = 0
    """The number of its first tokens whose keys and values are in the cache."""

    num_siblings: int = 0
    """The number of sequences that will fork from this one once its prompt is computed."""

    num_preemptions: int = 0
    """The number of times that it lost its blocks."""

    is_long: bool = False
    """True if it has more tokens than the model's original context, so that all of its keys and values are
    others (`Scheduler`)."""

    is_running: bool = False
    """True while it runs, and False while it waits."""

    has_unseen: bool = False
    """True while the last of its tokens is not known: the step that draws it is still being computed."""

    slot: int | None = None
    """The slot of its recurrent state while it runs; None for a model without such a state."""

    last_snapshot: bytes | None = None
    """The key of the snapshot that was last taken of its output."""

    is_parked: bool = False
    """True while it waits for its siblings to reach the same length, all of its own tokens having been
    computed (beam search)."""

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
