"""Prometheus metrics under the names of the released servers, which their dashboards query, and of ours.

docs/metrics.md has the table of all names.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterator
from typing import Final, TypeAlias

from prometheus_client import (
    CollectorRegistry,
    Gauge,
    ProcessCollector,
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
from handlers.active_requests.families import counter, gauge, histograms
from handlers.active_requests.http_metrics import HttpMetrics
from handlers.active_requests.ignored_fields import IgnoredFields
from handlers.active_requests.tgi_metrics import TgiMetrics
from handlers.active_requests.vllm_metrics import VllmMetrics
from handlers.media.reads import Reads

# The client library appends `_total` to the name of every counter; the released servers have no such suffix.
_TOTAL = re.compile(
    rb"^((?:# (?:HELP|TYPE) )?(?:tgi|verbatim)_(?!ignored_fields)\w+)_total(?=[ {])", re.MULTILINE
)

disable_created_metrics()  # type: ignore[no-untyped-call]  # the library left out its annotation

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
        self._tgi = TgiMetrics(self._requests, info.max_total_tokens)
        self._http = HttpMetrics(self._requests)
        self._ignored = IgnoredFields(self._requests)
        self._vllm = VllmMetrics(info, stats, model_name, self._tgi.counted)
        self._engine.register(self._vllm)
        self._requests.register(self._vllm.histograms)

    def received(self) -> None:
        self._tgi.received()

    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        self._tgi.validated(num_prompt_tokens, max_new_tokens)

    def failed(self, error: BaseException, total_s: float) -> None:
        self._tgi.failed(error)

    def ended(self, visit: Visit) -> None:
        """Count a request of any kind whose answer has ended; those of monitors are left out."""
        self._http.ended(visit)

    def ignored(self, contract: str, names: Collection[str]) -> None:
        self._ignored.add(contract, names)

    def succeeded(self, timing: Timing) -> None:
        self._tgi.succeeded(timing)
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
