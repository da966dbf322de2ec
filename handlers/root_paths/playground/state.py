"""The values that the page plots: the engine's gauges and counters at one moment, read on request."""

import time

import msgspec

from engine.port.info.stats import EngineStats


class State(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one moment. Counters are cumulative since the engine's start; two states give a rate.

    time_s: the server's clock, from an arbitrary start.
    num_step_sequences: sequences summed over all steps, so that by num_steps it is the mean batch size.
    num_used_tokens, num_idle_tokens, num_cache_tokens: the cache's places that requests hold, those that only
        the prefix cache still knows, and all.
    """

    time_s: float
    num_running: int
    num_waiting: int
    num_steps: int
    num_step_sequences: int
    num_prompt_tokens: int
    num_generated_tokens: int
    num_used_tokens: int
    num_idle_tokens: int
    num_cache_tokens: int

    @classmethod
    def of(cls, stats: EngineStats, block_size: int) -> "State":
        """Return the state for the engine's statistics."""
        counters = stats.counters
        return cls(
            time_s=time.monotonic(),
            num_running=stats.num_running,
            num_waiting=stats.num_waiting,
            num_steps=counters.batch_sizes.num_values,
            num_step_sequences=int(counters.batch_sizes.total),
            num_prompt_tokens=counters.num_prompt_tokens,
            num_generated_tokens=counters.num_generated_tokens,
            num_used_tokens=(stats.num_blocks - stats.num_free_blocks) * block_size,
            num_idle_tokens=stats.num_idle_blocks * block_size,
            num_cache_tokens=stats.num_blocks * block_size,
        )
