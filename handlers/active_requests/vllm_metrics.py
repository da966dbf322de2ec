"""Metrics under vLLM's names, by which fleets scrape and route: gateways know servers by these."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from engine.port.info.model_info import ModelInfo
from engine.port.info.stats import AdapterStats, EngineStats, Histogram
from handlers.access.visits.timing import Timing
from handlers.active_requests.families import Histograms, counter, gauge, histograms

_ENGINE: Final = "0"  # vLLM numbers the engines of a process
# vLLM's reasons for the end of a sequence, by the engine's.
_REASONS: Final = {"end_token": "stop", "stop": "stop", "length": "length"}

_Values: TypeAlias = float | Mapping[str, float]


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
        labels = {"model_name": model_name, "engine": _ENGINE}
        self._labels = tuple(labels)
        self._values = tuple(labels.values())
        self.histograms = Histograms(labels)
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
        self._computed = lengths(
            "vllm:request_prefill_kv_computed_tokens", "Tokens of a request's prompts that were computed"
        )
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
        self._computed.observe(timing.num_prompt_tokens - timing.num_cached_tokens)
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
        counters = stats.counters
        yield self._gauge("num_requests_running", "Sequences that run", stats.num_running)
        yield self._gauge("num_requests_waiting", "Sequences that wait", stats.num_waiting)
        reasons = {"capacity": stats.num_waiting, "deferred": 0}
        yield self._gauge("num_requests_waiting_by_reason", "Why sequences wait", reasons, "reason")
        for name, meaning, count in (
            ("prompt_tokens", "Tokens of prompts", counters.num_prompt_tokens),
            ("generation_tokens", "Tokens generated", counters.num_generated_tokens),
            ("spec_decode_num_drafts", "Drafts verified", counters.drafts.num_drafts),
            ("spec_decode_num_draft_tokens", "Tokens drafted", counters.drafts.num_drafted_tokens),
            (
                "spec_decode_num_accepted_tokens",
                "Drafted tokens that the model would have drawn",
                counters.drafts.num_accepted_tokens,
            ),
        ):
            yield self._counter(name, meaning, count)
        ends = dict.fromkeys((*_REASONS.values(), "abort"), 0)
        for reason, number in counters.num_finished.items():
            ends[_REASONS[reason]] += number
        ends["abort"] += counters.num_aborted
        yield self._counter("request_success", "Sequences that ended", ends, "finished_reason")
        if self._info.kv_cache_bytes:
            yield from self._cache(stats)
        for name, meaning, histogram in (
            ("inter_token_latency_seconds", "Between a sequence's tokens, seconds", counters.token_gap_s),
            ("iteration_tokens_total", "Tokens computed in a step", counters.step_tokens),
        ):
            yield histograms(f"vllm:{name}", meaning, {self._values: histogram}, self._labels)
        if stats.adapters is not None:
            yield _adapters(stats.adapters)
        if stats.media is not None:
            items = stats.media.items
            num_queries = items.num_hits + items.num_misses
            yield self._counter("mm_cache_queries", "Files that were to be processed", num_queries)
            yield self._counter("mm_cache_hits", "Files that had been processed before", items.num_hits)

    def _cache(self, stats: EngineStats) -> Iterator[Metric]:
        share = 1 - stats.num_free_blocks / stats.num_blocks
        yield self._gauge("kv_cache_usage_perc", "Share of the KV cache that is in use, up to 1", share)
        counters = stats.counters
        num_cached = counters.num_cache_hit_tokens
        sources = {
            "local_compute": counters.num_prompt_tokens - num_cached,
            "local_cache_hit": num_cached,
            "external_kv_transfer": 0,
        }
        for name, meaning, count in (
            ("prefix_cache_queries", "Tokens looked up in the cache", counters.num_cache_queried_tokens),
            ("prefix_cache_hits", "Tokens found in the cache", num_cached),
            ("prompt_tokens_cached", "Tokens of prompts that were not computed", num_cached),
            ("num_preemptions", "Sequences that lost their cache", counters.num_preemptions),
        ):
            yield self._counter(name, meaning, count)
        yield self._counter("prompt_tokens_by_source", "Tokens of prompts, by source", sources, "source")
        tiers, meaning = {"device": num_cached}, "Tokens of prompts that were not computed, by memory"
        yield self._counter("prompt_tokens_cached_by_source", meaning, tiers, "source")
        labels = {"engine": _ENGINE, "block_size": self._info.block_size, "num_gpu_blocks": stats.num_blocks}
        config = {tuple(map(str, labels.values())): 1}
        yield gauge("vllm:cache_config_info", "The size of the KV cache", config, tuple(labels))

    def _gauge(self, name: str, meaning: str, value: _Values, *label: str) -> Metric:
        return gauge(f"vllm:{name}", meaning, self._samples(value), (*self._labels, *label))

    def _counter(self, name: str, meaning: str, value: _Values, *label: str) -> Metric:
        return counter(f"vllm:{name}", meaning, self._samples(value), (*self._labels, *label))

    def _samples(self, value: _Values) -> dict[tuple[str, ...], float]:
        """Return the values with those of the model's labels. value: one, or several by a further label's."""
        if not isinstance(value, Mapping):
            return {self._values: value}
        return {(*self._values, each): number for each, number in value.items()}


def _adapters(adapters: AdapterStats) -> Metric:
    """One series, of the adapters of this moment; vLLM keeps the earlier ones too, and readers take the last.

    As in vLLM, its labels have neither the model nor the engine.
    """
    labels = {
        "max_lora": str(adapters.max_in_memory),
        "running_lora_adapters": ",".join(adapters.running),
        "waiting_lora_adapters": ",".join(adapters.waiting),
    }
    meaning = "Adapters of requests; since when, seconds since 1970"
    changed = {tuple(labels.values()): adapters.changed_at}
    return gauge("vllm:lora_requests_info", meaning, changed, tuple(labels))
