"""Prometheus metrics under the names of the released servers, which their dashboards query, and of ours.

docs/metrics.md has the table of all names.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterator
from functools import partial
from typing import Final, TypeAlias, get_args

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    ProcessCollector,
    Summary,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from engine.port.info.model_info import ModelInfo
from engine.port.info.stats import EngineStats
from engine.port.text.token_memory import TokenMemory
from handlers.access.visits.timing import Timing
from handlers.access.visits.visit import Visit
from handlers.active_requests.engine_metrics import EngineMetrics
from handlers.active_requests.failure import Failure, failure_of
from handlers.active_requests.families import Histograms, counter, gauge, histograms
from handlers.active_requests.ignored_fields import IgnoredFields
from handlers.active_requests.vllm_metrics import CountedRequests, VllmMetrics
from handlers.media.reads import Reads

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
_NONE: Final = "none"  # the value of a label where there is none

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
        reads: Reads | None = None,
    ) -> None:
        """Begin to count.

        num_permits: returns the number of sequences that are let in now.
        model_name: the model's name in requests.
        memory: the memory of prompts' tokens, where prompts are encoded here.
        reads: the count of files that are read for requests, where any are.
        share_metrics: the way to the sums of several processes that serve one engine; None for one process.
        """
        self._share_metrics = share_metrics
        self._engine = CollectorRegistry()
        self._requests = CollectorRegistry()
        permits = Gauge("verbatim_permits_in_use", "Sequences that are let in", registry=self._requests)
        permits.set_function(num_permits)
        self._engine.register(EngineMetrics(info, stats))
        ProcessCollector(registry=self._engine)
        if memory is not None:
            self._requests.register(_TokenMemoryMetrics(memory))
        if reads is not None:
            self._requests.register(_ReadMetrics(reads))
        self._count = Counter("tgi_request_count", "Requests received", registry=self._requests)
        self._success = Counter("tgi_request_success", "Requests answered", registry=self._requests)
        self._failure = Counter("tgi_request_failure", "Requests failed", ["err"], registry=self._requests)
        for failure in get_args(Failure):
            self._failure.labels(failure)  # from the start, so that the first failure shows as an increase
        self._ended = Counter(
            "http_requests",
            "Requests that have ended, but for probes and scrapes",
            ["method", "handler", "status"],
            registry=self._requests,
        )
        self._seconds = Summary(
            "http_request_duration_seconds",
            "Until the last byte of an answer was sent, seconds",
            ["method", "handler"],
            registry=self._requests,
        )
        self._errors = Counter(
            "verbatim_request_errors",
            "Requests that were refused or failed, by the error",
            ["contract", "error"],
            registry=self._requests,
        )
        self._ignored = IgnoredFields(self._requests)
        counted = Histograms()
        self._requests.register(counted)
        durations = partial(counted.add, bounds=DURATION_BUCKETS)
        lengths = partial(counted.add, bounds=linear_buckets(info.max_total_tokens))
        self._duration = durations("tgi_request_duration", "Whole request, seconds")
        self._validation = durations(
            "tgi_request_validation_duration", "Until the request was valid, seconds"
        )
        self._queue = durations("tgi_request_queue_duration", "Until the request first ran, seconds")
        self._inference = durations("tgi_request_inference_duration", "While the request ran, seconds")
        self._per_token = durations(
            "tgi_request_mean_time_per_token_duration", "While a request ran, for each of its tokens, seconds"
        )
        self._generated = lengths("tgi_request_generated_tokens", "Tokens generated for a request")
        self._max_new = lengths("tgi_request_max_new_tokens", "Limit of new tokens that a request sets")
        self._input = lengths("tgi_request_input_length", "Tokens of a prompt")
        shown = CountedRequests(self._duration, self._queue, self._inference, self._generated, self._max_new)
        self._vllm = VllmMetrics(info, stats, model_name, shown)
        self._engine.register(self._vllm)
        self._requests.register(self._vllm.histograms)

    def received(self) -> None:
        self._count.inc()

    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        self._input.observe(num_prompt_tokens)
        self._max_new.observe(max_new_tokens)

    def failed(self, error: BaseException, total_s: float) -> None:
        self._failure.labels(failure_of(error)).inc()

    def ended(self, visit: Visit) -> None:
        """Count a request of any kind whose answer has ended; those of monitors are left out."""
        if visit.is_quiet:
            return
        contract, operation = visit.names
        # A client may invent methods where there is no operation, so they are no label there.
        handled = (_NONE, _NONE) if operation is None else (visit.method, f"{contract}.{operation}")
        self._ended.labels(*handled, _NONE if visit.status is None else f"{visit.status // 100}xx").inc()
        self._seconds.labels(*handled).observe(visit.ended_s - visit.started_s)
        if visit.error is not None:
            self._errors.labels(contract or _NONE, visit.error).inc()

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
            yield counter(f"verbatim_prompt_tokens_{name}", meaning, count)
        yield gauge("verbatim_token_memory_bytes", "Size of what is remembered", self._memory.num_bytes)


class _ReadMetrics(Collector):
    """The counts of files that were read for requests."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    @override
    def collect(self) -> Iterator[Metric]:
        files = {
            (kind, str(is_read).lower()): number for (kind, is_read), number in self._reads.num_files.items()
        }
        meaning = "Files of requests, by whether they could be read"
        yield counter("verbatim_media_files", meaning, files, ["kind", "is_read"])
        num_bytes = {(kind,): number for kind, number in self._reads.num_bytes.items()}
        yield counter("verbatim_media_bytes", "Bytes of the files that were read", num_bytes, ["kind"])
        yield histograms("verbatim_media_read_seconds", "Reading a file, seconds", {(): self._reads.seconds})
