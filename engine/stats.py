"""What the engine counts of itself; no torch."""

import msgspec


class Health(msgspec.Struct, frozen=True):
    """Whether requests can be expected to succeed; `reason` says why not."""

    is_healthy: bool
    reason: str | None = None


class Counters(msgspec.Struct):
    """Cumulative since the engine started; only the step thread writes.

    num_prompt_tokens, num_generated_tokens: prompts are counted when their request first runs.
    num_cache_queried_tokens, num_cache_hit_tokens: prompt tokens looked up in the prefix cache, and those
        found; a sequence that finds its own blocks again after a preemption is not counted.
    num_computed_tokens: rows the model ran, those recomputed after a preemption included.
    step_s: seconds spent in steps. last_batch_size: sequences in the last step. last_step_s: its seconds.
    num_finished: sequences, by `FinishReason.value`. num_embedded: texts whose vectors were given.
    """

    num_requests: int = 0
    num_aborted: int = 0
    num_failed: int = 0
    num_finished: dict[str, int] = msgspec.field(default_factory=dict)
    num_embedded: int = 0
    num_prompt_tokens: int = 0
    num_cache_queried_tokens: int = 0
    num_cache_hit_tokens: int = 0
    num_generated_tokens: int = 0
    num_computed_tokens: int = 0
    num_preemptions: int = 0
    num_steps: int = 0
    num_failed_steps: int = 0
    step_s: float = 0.0
    last_batch_size: int = 0
    last_step_s: float = 0.0


class EngineStats(msgspec.Struct, frozen=True, kw_only=True):
    """A moment's gauges beside the cumulative counters."""

    num_running: int
    num_waiting: int
    num_blocks: int
    num_free_blocks: int
    counters: Counters
