"""The memory that an engine keeps of sequences: its shapes, and how much of it there is room for."""

from typing import NamedTuple

from transformers import PreTrainedModel

from engine.attention.kv_cache.budget import CacheSizes, StepMemory, choose_cache_sizes
from engine.attention.kv_cache.geometry import KVGeometry
from engine.config import EngineConfig
from engine.model.fallback.trial import CacheCost
from engine.model.loading.planning.plan import PlannedModel


class SequenceMemory(NamedTuple):
    """The shapes of the memory that a model keeps of sequences.

    geometry: of keys and values on pages; without layers if none attends over pages. block_bytes: of a block.
    slot_bytes: of a sequence's recurrent state; None without such layers. paged_obstacle: as of `ModelInfo`.
    """

    geometry: KVGeometry
    block_bytes: int
    slot_bytes: int | None
    paged_obstacle: str | None

    @classmethod
    def on_pages(cls, geometry: KVGeometry, slot_bytes: int | None, config: EngineConfig) -> "SequenceMemory":
        """Return the memory of a model that attends over pages."""
        return cls(geometry, geometry.block_bytes(config.block_size), slot_bytes, None)

    @classmethod
    def on_fallback(
        cls, cost: CacheCost, model: PreTrainedModel, obstacle: str, config: EngineConfig
    ) -> "SequenceMemory":
        """Return the memory of a model that has its own cache. obstacle: why it is not on pages."""
        slot_bytes = cost.with_audio_of(model).sequence_bytes or None
        return cls(KVGeometry((), model.dtype), cost.token_bytes * config.block_size, slot_bytes, obstacle)

    def sizes(
        self,
        config: EngineConfig,
        plan: PlannedModel,
        *,
        reserved_bytes: int = 0,
        steps: StepMemory | None = None,
    ) -> CacheSizes:
        """Return the sizes of what is to be allocated next.

        reserved_bytes, steps: as of `choose_cache_sizes`. Raises ModelNotSupported as it does.
        """
        return choose_cache_sizes(
            config,
            self.block_bytes,
            self.slot_bytes,
            plan.max_total_tokens,
            plan.device,
            reserved_bytes=reserved_bytes,
            steps=steps,
            keeps_snapshots=self.paged_obstacle is None,
        )
