"""Prometheus metrics under the names of the released servers, which their dashboards query, and of ours.

docs/metrics.md has the table of all names.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Final, TypeAlias, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from engine.port.info.kernels import Kernel
from engine.port.info.model_info import ModelInfo
from engine.port.info.stats import (
    Counters,
    DraftCounters,
    EngineStats,
    KVEventCounters,
    MediaStats,
    ProcessStats,
    StepCounters,
)
from engine.port.text.token_memory import TokenMemory
from handlers.active_requests.failure import Failure, failure_of
from handlers.active_requests.histograms import Histograms, cumulative_buckets
from handlers.active_requests.ignored_fields import IgnoredFields
from handlers.active_requests.timing import Timing
from handlers.active_requests.vllm_metrics import CountedRequests, VllmMetrics

# 0.15 ms to 146 s, as the released servers have them.
DURATION_BUCKETS = tuple(0.0001 * 1.5**k for k in range(1, 36))
# The client library appends `_total` to the name of every counter; the released servers have no such suffix.
_TOTAL = re.compile(
    rb"^((?:# (?:HELP|TYPE) )?(?:tgi|verbatim)_(?!ignored_fields)\w+)_total(?=[ {])", re.MULTILINE
)

disable_created_metrics()  # type: ignore[no-untyped-call]  # the library left out its annotation


def linear_buckets(largest: int) -> tuple[float, ...]:
    """100 buckets of equal width up to `largest`."""
    return tuple(largest * k / 100 for k in range(1, 101))


ShareMetrics: TypeAlias = Callable[[str], Awaitable[str]]
"""Takes the metrics of one process's requests, and returns the sums of all processes and the engine's own."""

_SHARING_PERIOD_S: Final = 1.0

_log = logging.getLogger(__name__)


class Metrics:
    """Metrics of the requests of all contracts, and of the engine's state."""

    def __init__(
        self,
        info: ModelInfo,
        stats: Callable[[], EngineStats],
        num_permits: Callable[[], int] = int,
        *,
        model_name: str = "",
        share_metrics: ShareMetrics | None = None,
        memory: TokenMemory | None = None,
    ) -> None:
        """Begin to count.

        num_permits: returns the number of sequences that are let in now.
        model_name: the model's name in requests.
        memory: the memory of prompts' tokens, where prompts are encoded here.
        share_metrics: the way to the sums of several processes that serve one engine; None for one process.
        """
        self._share_metrics = share_metrics
        self._engine = CollectorRegistry()
        self._requests = CollectorRegistry()
        permits = Gauge("verbatim_permits_in_use", "Sequences that are let in", registry=self._requests)
        permits.set_function(num_permits)
        self._engine.register(_EngineMetrics(info, stats))
        if memory is not None:
            self._requests.register(_TokenMemoryMetrics(memory))
        self._count = Counter("tgi_request_count", "Requests received", registry=self._requests)
        self._success = Counter("tgi_request_success", "Requests answered", registry=self._requests)
        self._failure = Counter("tgi_request_failure", "Requests failed", ["err"], registry=self._requests)
        for failure in get_args(Failure):
            self._failure.labels(failure)  # from the start, so that the first failure shows as an increase
        self._ignored = IgnoredFields(self._requests)
        histograms = Histograms()
        self._requests.register(histograms)
        durations = partial(histograms.add, bounds=DURATION_BUCKETS)
        lengths = partial(histograms.add, bounds=linear_buckets(info.max_total_tokens))
        self._duration = durations("tgi_request_duration", "Whole request, seconds")
        self._validation = durations(
            "tgi_request_validation_duration", "Until the request was valid, seconds"
        )
        self._queue = durations("tgi_request_queue_duration", "Until the request first ran, seconds")
        self._inference = durations("tgi_request_inference_duration", "While the request ran, seconds")
        self._per_token = durations(
            "tgi_request_mean_time_per_token_duration", "Inference for each token, seconds"
        )
        self._generated = lengths("tgi_request_generated_tokens", "Tokens generated")
        self._max_new = lengths("tgi_request_max_new_tokens", "Tokens asked for")
        self._input = lengths("tgi_request_input_length", "Prompt tokens")
        counted = CountedRequests(self._duration, self._queue, self._inference, self._generated)
        self._vllm = VllmMetrics(info, stats, model_name, counted)
        self._engine.register(self._vllm)
        self._requests.register(self._vllm.histograms)

    def received(self) -> None:
        self._count.inc()

    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        self._input.observe(num_prompt_tokens)
        self._max_new.observe(max_new_tokens)

    def failed(self, error: BaseException, total_s: float) -> None:
        self._failure.labels(failure_of(error)).inc()

    def ignored(self, contract: str, names: Collection[str]) -> None:
        self._ignored.add(contract, names)

    def succeeded(self, timing: Timing) -> None:
        self._success.inc()
        self._duration.observe(timing.total_s)
        self._validation.observe(timing.validation_s)
        self._queue.observe(timing.queue_s)
        self._inference.observe(timing.inference_s)
        self._per_token.observe(timing.time_per_token_s)
        self._generated.observe(timing.num_generated_tokens)
        self._vllm.succeeded(timing)

    async def of_all(self) -> str:
        """Return the text exposition format, version 0.0.4, of all processes that serve the engine."""
        return (
            self.render() if self._share_metrics is None else await self._share_metrics(self.requests_text())
        )

    def render(self) -> str:
        """Return the same of this process alone."""
        return self.engine_text() + self.requests_text()

    def engine_text(self) -> str:
        """Return the part that is the engine's."""
        return _text(self._engine)

    def requests_text(self) -> str:
        """Return the part that is this process's, of the requests that it has answered."""
        return _text(self._requests)

    async def share(self) -> None:
        """Have the other processes know the metrics of this one from time to time, until cancelled."""
        shared = ""
        while self._share_metrics is not None:
            if (text := self.requests_text()) != shared:
                try:
                    await self._share_metrics(text)
                    shared = text
                except Exception as error:
                    _log.warning("the metrics of this process could not be shared: %s", error)
            await asyncio.sleep(_SHARING_PERIOD_S)


def _text(registry: CollectorRegistry) -> str:
    return _TOTAL.sub(rb"\1", generate_latest(registry)).decode()


class _TokenMemoryMetrics(Collector):
    """The counts of remembered tokens, read when the metrics are."""

    def __init__(self, memory: TokenMemory) -> None:
        self._memory = memory

    @override
    def collect(self) -> Iterator[Metric]:
        for name, meaning, count in (
            ("remembered", "Tokens of chats that an earlier prompt had", self._memory.num_known),
            ("encoded", "Tokens of chats that were encoded, to be remembered", self._memory.num_encoded),
        ):
            yield CounterMetricFamily(f"verbatim_prompt_tokens_{name}", meaning, value=count)
        yield GaugeMetricFamily(
            "verbatim_token_memory_bytes", "Size of what is remembered", value=self._memory.num_bytes
        )


class _EngineMetrics(Collector):
    """The engine's own counts, read when the metrics are.

    A step computes prompts beside outputs. It goes under the method "prefill" if it computes any prompt, as
    in the released servers that compute prompts in chunks; else under "decode".
    """

    def __init__(self, info: ModelInfo, stats: Callable[[], EngineStats]) -> None:
        self._info = info
        self._stats = stats

    @override
    def collect(self) -> Iterator[Metric]:
        stats = self._stats()
        yield from self._gauges(stats)
        yield _kernel_info(self._info.kernels)
        yield from _step_counts(stats.counters)
        yield from _step_durations(stats.counters)
        yield from _drafts(stats.counters.drafts)
        if stats.kv_events is not None:
            yield from _kv_events(stats.kv_events)
        if stats.media is not None:
            yield from _media(stats.media)
        if stats.processes:
            yield from _processes(stats.processes)
        sizes = HistogramMetricFamily("tgi_batch_next_size", "Sequences in a step")
        sizes.add_metric([], *cumulative_buckets(stats.counters.batch_sizes))
        yield sizes

    def _gauges(self, stats: EngineStats) -> Iterator[Metric]:
        num_used_blocks = stats.num_blocks - stats.num_free_blocks
        for name, meaning, value in (
            ("tgi_batch_current_size", "Sequences that run", stats.num_running),
            ("tgi_queue_size", "Sequences that wait", stats.num_waiting),
            ("tgi_batch_current_max_tokens", "Cache in use, tokens", num_used_blocks * self._info.block_size),
            ("tgi_batch_max_total_tokens", "Cache, tokens", stats.num_blocks * self._info.block_size),
            ("verbatim_recurrent_states", "Recurrent states held, in use or not", self._info.num_state_slots),
            ("verbatim_recurrent_state_bytes", "Memory of recurrent states", self._info.state_bytes),
            ("verbatim_int8_layers", "Linear layers whose weights have 8 bits", self._info.num_int8_layers),
            ("verbatim_int4_layers", "Linear layers whose weights have 4 bits", self._info.num_int4_layers),
        ):
            yield GaugeMetricFamily(name, meaning, value)
        stored = GaugeMetricFamily(
            "verbatim_stored_layers", "Linear layers that keep a checkpoint's integers", labels=["bits"]
        )
        for bits, count in sorted(self._info.stored_layers.items()):
            stored.add_metric([str(bits)], count)
        yield stored


def _kernel_info(kernels: tuple[Kernel, ...]) -> Metric:
    """A series of value 1 for each kernel, whose labels say whether it is in use, and why not."""
    labels = ["kernel", "in_use", "scope", "reason", "is_lack"]
    family = GaugeMetricFamily(
        "verbatim_kernel_info", "Compiled code and whether it is in use", labels=labels
    )
    for each in kernels:
        reason = each.obstacle.reason if each.obstacle else ""
        is_lack = each.obstacle is not None and each.obstacle.is_lack
        family.add_metric([each.name, str(each.in_use).lower(), each.scope, reason, str(is_lack).lower()], 1)
    return family


def _step_counts(counters: Counters) -> Iterator[Metric]:
    methods = _methods(counters)
    for name, meaning, counts in (
        ("count", "Steps", [steps.num_steps for steps in methods.values()]),
        ("success", "Steps that succeeded", [steps.num_succeeded for steps in methods.values()]),
        ("failure", "Steps that failed", [steps.num_failed for steps in methods.values()]),
    ):
        family = CounterMetricFamily(f"tgi_batch_inference_{name}", meaning, labels=["method"])
        for method, count in zip(methods, counts, strict=True):
            family.add_metric([method], count)
        yield family


def _drafts(counters: DraftCounters) -> Iterator[Metric]:
    """The counters of speculation, as vLLM names them after its prefix."""
    for name, meaning, count in (
        ("drafts", "Drafts verified", counters.num_drafts),
        ("draft_tokens", "Tokens drafted", counters.num_drafted_tokens),
        ("accepted_tokens", "Drafted tokens that the model would have drawn", counters.num_accepted_tokens),
    ):
        yield CounterMetricFamily(f"verbatim_spec_decode_num_{name}", meaning, value=count)


def _kv_events(counters: KVEventCounters) -> Iterator[Metric]:
    for name, meaning, count in (
        ("batches", "Batches of changes of the prefix cache that were published", counters.num_batches),
        ("batches_lost", "Batches for which the whole cache was published instead", counters.num_lost),
    ):
        yield CounterMetricFamily(f"verbatim_kv_event_{name}", meaning, value=count)


def _media(stats: MediaStats) -> Iterator[Metric]:
    rows = stats.rows
    for name, meaning, count in (
        ("queries", "Images looked up after the model's encoder", rows.num_hits + rows.num_misses),
        ("hits", "Images found as the encoder had left them", rows.num_hits),
    ):
        yield CounterMetricFamily(f"verbatim_encoder_cache_{name}", meaning, value=count)
    sizes = GaugeMetricFamily("verbatim_media_cache_bytes", "Memory of remembered images", labels=["after"])
    sizes.add_metric(["processor"], stats.items.num_bytes)
    sizes.add_metric(["encoder"], rows.num_bytes)
    yield sizes


def _processes(programs: Sequence[ProcessStats]) -> Iterator[Metric]:
    """The programs whose processes work on what clients send."""
    running = GaugeMetricFamily(
        "verbatim_bounded_processes", "Processes that work on a client's input", labels=["input"]
    )
    starts = CounterMetricFamily(
        "verbatim_bounded_process_starts", "Starts of the programs of these processes", labels=["input"]
    )
    ends = CounterMetricFamily(
        "verbatim_bounded_process_ends", "Inputs by how their process ended", labels=["input", "end"]
    )
    for program in programs:
        running.add_metric([program.name], program.num_children)
        starts.add_metric([program.name], program.num_starts)
        for end, count in program.ends.items():
            ends.add_metric([program.name, end], count)
    yield from (running, starts, ends)


def _step_durations(counters: Counters) -> Iterator[Metric]:
    methods = _methods(counters)
    for name, meaning, times in (
        ("inference", "Whole step", [steps.total_s for steps in methods.values()]),
        ("forward", "The model in a step", [steps.forward_s for steps in methods.values()]),
        ("decode", "The choice of tokens in a step", [steps.choose_s for steps in methods.values()]),
    ):
        family = HistogramMetricFamily(f"tgi_batch_{name}_duration", f"{meaning}, seconds", labels=["method"])
        for method, histogram in zip(methods, times, strict=True):
            family.add_metric([method], *cumulative_buckets(histogram))
        yield family


def _methods(counters: Counters) -> dict[str, StepCounters]:
    return {"prefill": counters.prefill_steps, "decode": counters.decode_steps}
