"""Metrics under vLLM's names, by which fleets scrape and route: gateways know servers by these."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from engine.port.info.model_info import ModelInfo
from engine.port.info.stats import AdapterStats, EngineStats, Histogram
from handlers.access.visits.timing import Timing
from handlers.active_requests.histograms import Histograms, cumulative_buckets

_ENGINE: Final = "0"  # vLLM numbers the engines of a process
# vLLM's reasons for the end of a sequence, by the engine's.
_REASONS: Final = {"end_token": "stop", "stop": "stop", "length": "length"}


class CountedRequests(NamedTuple):
    """The histograms of answered requests that have another name too: seconds, and tokens."""

    whole: Histogram
    queue: Histogram
    inference: Histogram
    generated: Histogram
    max_new: Histogram


class VllmMetrics(Collector):
    """The metrics of one model's engine. Where other servers compute, those of a KV cache are left out, but
    for the share in use, where the servers report it.

    histograms: those of requests, which stand by themselves.
    """

    def __init__(
        self,
        info: ModelInfo,
        stats: Callable[[], EngineStats],
        model_name: str,
        counted: CountedRequests,
    ) -> None:
        """Begin to count.

        model_name: the model's name in requests.
        counted: the histograms that count requests already; the others have the same bounds.
        """
        self._info = info
        self._stats = stats
        self._labels = {"model_name": model_name, "engine": _ENGINE}
        self.histograms = Histograms(list(self._labels.items()))
        durations = partial(self.histograms.add, bounds=counted.whole.bounds)
        lengths = partial(self.histograms.add, bounds=counted.generated.bounds)
        self._first_token = durations("vllm:time_to_first_token_seconds", "Until the first token, seconds")
        self._per_token = durations(
            "vllm:request_time_per_output_token_seconds", "Between a request's tokens, on average, seconds"
        )
        show = self.histograms.show
        show("vllm:e2e_request_latency_seconds", "Whole request, seconds", counted.whole)
        show("vllm:request_queue_time_seconds", "Until the request first ran, seconds", counted.queue)
        show("vllm:request_inference_time_seconds", "While the request ran, seconds", counted.inference)
        self._prompt = lengths("vllm:request_prompt_tokens", "Tokens of a request's prompts")
        show("vllm:request_generation_tokens", "Tokens generated for a request", counted.generated)
        show("vllm:request_params_max_tokens", "Limit of new tokens that a request sets", counted.max_new)
        show("vllm:request_max_num_generation_tokens", "Tokens generated for a request", counted.generated)
        self._prefill = durations(
            "vllm:request_prefill_time_seconds", "From a request's first run to its first token, seconds"
        )
        self._decode = durations(
            "vllm:request_decode_time_seconds", "From a request's first token to its end, seconds"
        )

    def succeeded(self, timing: Timing) -> None:
        """Count an answered request in the histograms that are not counted already."""
        self._prompt.observe(timing.num_prompt_tokens)
        for histogram, seconds in (
            (self._first_token, timing.first_token_s),
            (self._per_token, timing.time_between_tokens_s),
            (self._prefill, timing.prefill_s),
            (self._decode, timing.decode_s),
        ):
            if seconds is not None:
                histogram.observe(seconds)

    @override
    def collect(self) -> Iterator[Metric]:
        stats = self._stats()
        yield self._gauge("num_requests_running", "Sequences that run", stats.num_running)
        yield self._gauge("num_requests_waiting", "Sequences that wait", stats.num_waiting)
        yield from self._counters(stats)
        if self._info.kv_cache_bytes:
            yield from self._cache(stats)
        for name, meaning, histogram in (
            (
                "inter_token_latency_seconds",
                "Between a sequence's tokens, seconds",
                stats.counters.token_gap_s,
            ),
            ("iteration_tokens_total", "Tokens computed in a step", stats.counters.step_tokens),
        ):
            family = HistogramMetricFamily(f"vllm:{name}", meaning, labels=list(self._labels))
            family.add_metric(list(self._labels.values()), *cumulative_buckets(histogram))
            yield family
        if stats.adapters is not None:
            yield _adapters(stats.adapters)
        if stats.media is not None:
            items = stats.media.items
            num_queries = items.num_hits + items.num_misses
            yield self._counter("mm_cache_queries", "Files that were to be processed", num_queries)
            yield self._counter("mm_cache_hits", "Files that had been processed before", items.num_hits)

    def _counters(self, stats: EngineStats) -> Iterator[Metric]:
        counters = stats.counters
        yield self._counter("prompt_tokens", "Tokens of prompts", counters.num_prompt_tokens)
        yield self._counter("generation_tokens", "Tokens generated", counters.num_generated_tokens)
        ends = dict.fromkeys((*_REASONS.values(), "abort"), 0)
        for reason, number in counters.num_finished.items():
            ends[_REASONS[reason]] += number
        ends["abort"] += counters.num_aborted
        family = CounterMetricFamily(
            "vllm:request_success", "Sequences that ended", labels=[*self._labels, "finished_reason"]
        )
        for reason, number in ends.items():
            family.add_metric([*self._labels.values(), reason], number)
        yield family

    def _cache(self, stats: EngineStats) -> Iterator[Metric]:
        share = 1 - stats.num_free_blocks / stats.num_blocks
        yield self._gauge("kv_cache_usage_perc", "Share of the KV cache that is in use, up to 1", share)
        counters = stats.counters
        yield self._counter(
            "prefix_cache_queries", "Tokens looked up in the cache", counters.num_cache_queried_tokens
        )
        yield self._counter("prefix_cache_hits", "Tokens found in the cache", counters.num_cache_hit_tokens)
        yield self._counter("num_preemptions", "Sequences that lost their cache", counters.num_preemptions)
        sizes = {"block_size": self._info.block_size, "num_gpu_blocks": stats.num_blocks}
        family = GaugeMetricFamily(
            "vllm:cache_config_info", "The size of the KV cache", labels=["engine", *sizes]
        )
        family.add_metric([_ENGINE, *map(str, sizes.values())], 1)
        yield family

    def _gauge(self, name: str, meaning: str, value: float) -> Metric:
        family = GaugeMetricFamily(f"vllm:{name}", meaning, labels=list(self._labels))
        family.add_metric(list(self._labels.values()), value)
        return family

    def _counter(self, name: str, meaning: str, value: float) -> Metric:
        family = CounterMetricFamily(f"vllm:{name}", meaning, labels=list(self._labels))
        family.add_metric(list(self._labels.values()), value)
        return family


def _adapters(adapters: AdapterStats) -> Metric:
    """One series, of the adapters of this moment; vLLM keeps the earlier ones too, and readers take the last.

    As in vLLM, its labels have neither the model nor the engine.
    """
    labels = {
        "max_lora": str(adapters.max_in_memory),
        "running_lora_adapters": ",".join(adapters.running),
        "waiting_lora_adapters": ",".join(adapters.waiting),
    }
    family = GaugeMetricFamily(
        "vllm:lora_requests_info", "Adapters of requests; since when, seconds since 1970", labels=list(labels)
    )
    family.add_metric(list(labels.values()), adapters.changed_at)
    return family
