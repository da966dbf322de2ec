"""The metrics of the engine's own counts, under TGI's names and ours."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

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
    Histogram,
    KVEventCounters,
    MediaStats,
    ProcessStats,
    StepCounters,
)
from handlers.active_requests.histograms import cumulative_buckets

# TGI's reasons to join batches, which are neither joined nor filtered here: each step schedules anew.
_NO_CONCAT: Final = ("backpressure", "chunking", "wait_exceeded")
_NO_TIMES: Final = Histogram((1.0,), [0, 0])


class EngineMetrics(Collector):
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
        if stats.grammars_s is not None:
            yield _histogram(
                "verbatim_grammar_compile_seconds", "Compiling a grammar, seconds", stats.grammars_s
            )
        yield _histogram("tgi_batch_next_size", "Sequences in a step", stats.counters.batch_sizes)
        yield from _absent()

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


def _histogram(name: str, meaning: str, histogram: Histogram) -> Metric:
    family = HistogramMetricFamily(name, meaning)
    family.add_metric([], *cumulative_buckets(histogram))
    return family


def _absent() -> Iterator[Metric]:
    """The metrics of TGI that dashboards query, and that count nothing here."""
    concats = CounterMetricFamily("tgi_batch_concat", "Joined batches: always 0", labels=["reason"])
    for reason in _NO_CONCAT:
        concats.add_metric([reason], 0)
    yield concats
    for name, meaning in (("concat", "Joining batches"), ("filter", "Filtering a batch")):
        family = HistogramMetricFamily(
            f"tgi_batch_{name}_duration", f"{meaning}, seconds: always empty", labels=["method"]
        )
        for method in ("prefill", "decode"):
            family.add_metric([method], *cumulative_buckets(_NO_TIMES))
        yield family
    yield _histogram(
        "tgi_request_skipped_tokens", "Accepted drafts of a request's last step: always empty", _NO_TIMES
    )
