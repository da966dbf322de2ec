"""The metrics of the engine's own counts, under TGI's names and ours."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from engine.port.info.kernels import Kernel
from engine.port.info.model_info import ModelInfo
from engine.port.info.stats import (
    Counters,
    EngineStats,
    Histogram,
    KVEventCounters,
    MediaStats,
    ProcessStats,
)
from handlers.active_requests.families import counter, gauge, histograms

# TGI's reasons to join batches, which are neither joined nor filtered here: each step schedules anew.
_NO_CONCAT: Final = ("backpressure", "chunking", "wait_exceeded")
_NO_TIMES: Final = Histogram((1.0,), [0, 0])
_METHODS: Final = ("prefill", "decode")


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
        yield from _steps(stats.counters)
        if stats.kv_events is not None:
            yield from _kv_events(stats.kv_events)
        if stats.media is not None:
            yield from _media(stats.media)
        if stats.processes:
            yield from _processes(stats.processes)
        if stats.grammars_s is not None:
            name = "verbatim_grammar_compile_seconds"
            yield histograms(name, "Compiling a grammar, seconds", {(): stats.grammars_s})
        yield histograms("tgi_batch_next_size", "Sequences in a step", {(): stats.counters.batch_sizes})
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
            yield gauge(name, meaning, value)
        stored = {(str(bits),): count for bits, count in sorted(self._info.stored_layers.items())}
        meaning = "Linear layers that keep a checkpoint's integers"
        yield gauge("verbatim_stored_layers", meaning, stored, ["bits"])


def _kernel_info(kernels: tuple[Kernel, ...]) -> Metric:
    """A series of value 1 for each kernel, whose labels say whether it is in use, and why not."""
    known = {}
    for each in kernels:
        reason = each.obstacle.reason if each.obstacle else ""
        is_lack = each.obstacle is not None and each.obstacle.is_lack
        known[each.name, str(each.in_use).lower(), each.scope, reason, str(is_lack).lower()] = 1
    labels = ["kernel", "in_use", "scope", "reason", "is_lack"]
    return gauge("verbatim_kernel_info", "Compiled code and whether it is in use", known, labels)


def _steps(counters: Counters) -> Iterator[Metric]:
    methods = dict(zip(_METHODS, (counters.prefill_steps, counters.decode_steps), strict=True))
    for name, meaning, attribute in (
        ("count", "Steps", "num_steps"),
        ("success", "Steps that succeeded", "num_succeeded"),
        ("failure", "Steps that failed", "num_failed"),
    ):
        counts = {(method,): getattr(steps, attribute) for method, steps in methods.items()}
        yield counter(f"tgi_batch_inference_{name}", meaning, counts, ["method"])
    for name, meaning, attribute in (
        ("inference", "Whole step", "total_s"),
        ("forward", "The model in a step", "forward_s"),
        ("decode", "The choice of tokens in a step", "choose_s"),
    ):
        times = {(method,): getattr(steps, attribute) for method, steps in methods.items()}
        yield histograms(f"tgi_batch_{name}_duration", f"{meaning}, seconds", times, ["method"])


def _kv_events(counters: KVEventCounters) -> Iterator[Metric]:
    for name, meaning, count in (
        ("batches", "Batches of changes of the prefix cache that were published", counters.num_batches),
        ("batches_lost", "Batches for which the whole cache was published instead", counters.num_lost),
    ):
        yield counter(f"verbatim_kv_event_{name}", meaning, count)


def _media(stats: MediaStats) -> Iterator[Metric]:
    rows = stats.rows
    for name, meaning, count in (
        ("queries", "Images looked up after the model's encoder", rows.num_hits + rows.num_misses),
        ("hits", "Images found as the encoder had left them", rows.num_hits),
    ):
        yield counter(f"verbatim_encoder_cache_{name}", meaning, count)
    sizes = {("processor",): stats.items.num_bytes, ("encoder",): rows.num_bytes}
    yield gauge("verbatim_media_cache_bytes", "Memory of remembered images", sizes, ["after"])


def _processes(programs: Sequence[ProcessStats]) -> Iterator[Metric]:
    """The programs whose processes work on what clients send."""
    yield gauge(
        "verbatim_bounded_processes",
        "Processes that work on a client's input",
        {(program.name,): program.num_children for program in programs},
        ["input"],
    )
    yield counter(
        "verbatim_bounded_process_starts",
        "Starts of the programs of these processes",
        {(program.name,): program.num_starts for program in programs},
        ["input"],
    )
    yield counter(
        "verbatim_bounded_process_ends",
        "Inputs by how their process ended",
        {(program.name, end): count for program in programs for end, count in program.ends.items()},
        ["input", "end"],
    )


def _absent() -> Iterator[Metric]:
    """The metrics of TGI that dashboards query, and that count nothing here."""
    joins = {(reason,): 0 for reason in _NO_CONCAT}
    yield counter("tgi_batch_concat", "Joined batches: always 0", joins, ["reason"])
    for name, meaning in (("concat", "Joining batches"), ("filter", "Filtering a batch")):
        empty = {(method,): _NO_TIMES for method in _METHODS}
        meaning = f"{meaning}, seconds: always empty"
        yield histograms(f"tgi_batch_{name}_duration", meaning, empty, ["method"])
    yield histograms(
        "tgi_request_skipped_tokens",
        "Accepted drafts of a request's last step: always empty",
        {(): _NO_TIMES},
    )
