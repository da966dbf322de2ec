"""The engine's counters and gauges; no torch.

Only the step thread writes; others read copies, without a lock. So a reader may see a step half counted.
"""

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from engine.port.events import TokenEvent

# 0.15 ms to 146 s, each bound half again the one before.
_SECONDS = tuple(0.0001 * 1.5**k for k in range(1, 36))
_SIZES = tuple(float(2**k) for k in range(11))
_TOKENS = (1.0, *(float(2**k) for k in range(3, 15)))  # vLLM's


class Health(msgspec.Struct, frozen=True):
    """The engine's health: whether requests can be expected to succeed, and the `reason` if not.

    A healthy engine has a `reason` where a part of it is missing: one of several servers, for example.

    is_alive: False where only another process will serve again, so that this one should be replaced.
    """

    is_healthy: bool
    reason: str | None = None
    is_alive: bool = True


class Histogram(msgspec.Struct):
    """The number of values by size, in bounded memory.

    bounds: ascending; counts[i] are the values at most bounds[i] and above the bound before, the last of
    counts those above all bounds.
    """

    bounds: tuple[float, ...]
    counts: list[int]
    total: float = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def num_values(self) -> int:
        return sum(self.counts)

    def copy(self) -> "Histogram":
        return Histogram(self.bounds, list(self.counts), self.total)


def seconds_histogram() -> Histogram:
    """Return an empty histogram of durations."""
    return _histogram(_SECONDS)


def _histogram(bounds: Sequence[float]) -> Histogram:
    return Histogram(tuple(bounds), [0] * (len(bounds) + 1))


class StepCounters(msgspec.Struct):
    """The counters of steps of one kind, cumulative.

    num_failed: those of num_steps in which the model or the sampler raised. Seconds are those of the steps
    that did not fail. total_s: from scheduling until the events are ready. forward_s: the part of it in the
    model. choose_s: the part in sampling, beam search and text. A GPU may still compute when the call of the
    model returns; sampling waits for it then.
    """

    num_steps: int = 0
    num_failed: int = 0
    total_s: Histogram = msgspec.field(default_factory=seconds_histogram)
    forward_s: Histogram = msgspec.field(default_factory=seconds_histogram)
    choose_s: Histogram = msgspec.field(default_factory=seconds_histogram)

    @property
    def num_succeeded(self) -> int:
        return self.num_steps - self.num_failed

    def count(self, total_s: float, forward_s: float, choose_s: float) -> None:
        self.num_steps += 1
        self.total_s.observe(total_s)
        self.forward_s.observe(forward_s)
        self.choose_s.observe(choose_s)

    def count_failed(self) -> None:
        self.num_steps += 1
        self.num_failed += 1

    def copy(self) -> "StepCounters":
        histograms = (self.total_s.copy(), self.forward_s.copy(), self.choose_s.copy())
        return StepCounters(self.num_steps, self.num_failed, *histograms)


class DraftCounters(msgspec.Struct):
    """The counters of speculation, cumulative.

    num_drafts: drafts that a step verified. num_drafted_tokens: their tokens, each of which took a row.
    num_accepted_tokens: those among them that the model would have drawn, which took no step of their own.
    """

    num_drafts: int = 0
    num_drafted_tokens: int = 0
    num_accepted_tokens: int = 0

    def count(self, num_drafted: int, num_accepted: int) -> None:
        """Count one draft."""
        self.num_drafts += 1
        self.num_drafted_tokens += num_drafted
        self.num_accepted_tokens += num_accepted


class Counters(msgspec.Struct):
    """The engine's counters, cumulative since its start; only the step thread writes.

    num_prompt_tokens, num_generated_tokens: prompts are counted when their request first runs.
    num_cache_queried_tokens, num_cache_hit_tokens: prompt tokens looked up in the prefix cache, and those
        found; a sequence that finds its own blocks again after a preemption is not counted.
    num_computed_tokens: rows the model ran, those recomputed after a preemption and drafted ones included.
    step_s: seconds spent in steps. last_batch_size: sequences in the last step. last_step_s: its seconds.
    num_finished: sequences, by `FinishReason.value`. num_embedded: texts whose vectors were returned.
    prefill_steps: steps that compute prompts, whether or not others decode. decode_steps: all others.
    batch_sizes, step_tokens: sequences and rows in each step.
    queue_s: seconds from a request's submission to its first step.
    token_gap_s: seconds from a token of a sequence to its next; tokens of one step count as one.
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
    step_s: float = 0.0
    last_batch_size: int = 0
    last_step_s: float = 0.0
    prefill_steps: StepCounters = msgspec.field(default_factory=StepCounters)
    decode_steps: StepCounters = msgspec.field(default_factory=StepCounters)
    batch_sizes: Histogram = msgspec.field(default_factory=lambda: _histogram(_SIZES))
    step_tokens: Histogram = msgspec.field(default_factory=lambda: _histogram(_TOKENS))
    queue_s: Histogram = msgspec.field(default_factory=seconds_histogram)
    token_gap_s: Histogram = msgspec.field(default_factory=seconds_histogram)
    drafts: DraftCounters = msgspec.field(default_factory=DraftCounters)

    @property
    def num_steps(self) -> int:
        return self.prefill_steps.num_steps + self.decode_steps.num_steps

    @property
    def num_failed_steps(self) -> int:
        return self.prefill_steps.num_failed + self.decode_steps.num_failed

    def count_token(self, event: TokenEvent) -> None:
        """Count a generated token, and the end of its sequence if it is the last."""
        self.num_generated_tokens += 1
        if event.position and event.step_s:
            self.token_gap_s.observe(event.step_s)
        if event.finish is not None:
            self.count_finish(event.finish.value)

    def count_finish(self, reason: str) -> None:
        """Count the end of one sequence."""
        self.num_finished[reason] = self.num_finished.get(reason, 0) + 1

    def count_step(self, *, num_sequences: int, num_tokens: int, num_preempted: int, seconds: float) -> None:
        """Count a step of either kind, failed or not."""
        self.num_computed_tokens += num_tokens
        self.num_preemptions += num_preempted
        self.step_s += seconds
        self.last_step_s = seconds
        self.last_batch_size = num_sequences
        self.batch_sizes.observe(num_sequences)
        self.step_tokens.observe(num_tokens)

    def copy(self) -> "Counters":
        """Return a copy for a reader in another thread."""
        return msgspec.structs.replace(
            self,
            num_finished=dict(self.num_finished),
            prefill_steps=self.prefill_steps.copy(),
            decode_steps=self.decode_steps.copy(),
            batch_sizes=self.batch_sizes.copy(),
            step_tokens=self.step_tokens.copy(),
            queue_s=self.queue_s.copy(),
            token_gap_s=self.token_gap_s.copy(),
            drafts=msgspec.structs.replace(self.drafts),
        )


class KVEventCounters(msgspec.Struct, frozen=True, kw_only=True):
    """The batches of changes of the prefix cache that were published, and those lost before they could be."""

    num_batches: int
    num_lost: int


class CacheStats(msgspec.Struct, frozen=True, kw_only=True):
    """The look-ups in a cache since the start, by whether they found something, and its size."""

    num_hits: int
    num_misses: int
    num_bytes: int


class MediaStats(msgspec.Struct, frozen=True, kw_only=True):
    """The caches of images and the like.

    items: of files after the model's processor. rows: of the same after its encoder.
    """

    items: CacheStats
    rows: CacheStats


class ProcessStats(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a program whose processes work on what strangers send, within bounds.

    name: what it works on. num_children: the processes that work now. num_starts: of the program. ends: tasks
    since the start, by how they ended; "done" are those with a result, be it a refusal.
    """

    name: str
    num_children: int
    num_starts: int
    ends: dict[str, int]


class AdapterStats(msgspec.Struct, frozen=True, kw_only=True):
    """The adapters of the requests of one moment, by name, each once; one may be both running and waiting.

    max_in_memory: how many may be at once. changed_at: when the names were first found so, in seconds since
    1970.
    """

    max_in_memory: int
    running: tuple[str, ...]
    waiting: tuple[str, ...]
    changed_at: float


class EngineStats(msgspec.Struct, frozen=True, kw_only=True):
    """The gauges of one moment, with the cumulative counters.

    num_free_blocks: blocks without owners. num_idle_blocks: those among them whose tokens are still in the
        prefix cache.
    stalled_s: while requests run or wait, the seconds since a step last ended or the first of them came;
        else 0.
    kv_events: None where none are published. adapters: None where no request can name any. media: None
        where no files are read. processes: of the programs that have been started.
    grammars_s: seconds of each compilation of a grammar; None where none are compiled.
    """

    num_running: int
    num_waiting: int
    num_blocks: int
    num_free_blocks: int
    num_idle_blocks: int = 0
    stalled_s: float = 0.0
    kv_events: KVEventCounters | None = None
    adapters: AdapterStats | None = None
    media: MediaStats | None = None
    processes: tuple[ProcessStats, ...] = ()
    grammars_s: Histogram | None = None
    counters: Counters
