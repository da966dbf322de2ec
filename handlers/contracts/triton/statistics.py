"""Statistics of the model over the requests of all contracts."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.port.info.stats import EngineStats
from generated.triton import models as m
from handlers.access.visits.timing import Timing
from handlers.contracts.triton.models import VERSION

_NS: Final = 1_000_000_000


@dataclass
class _Sum:
    """Durations of one kind."""

    count: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.count += 1
        self.seconds += seconds

    def report(self) -> m.Durations:
        return m.Durations(count=self.count, ns=int(self.seconds * _NS))


class StatisticsObserver:
    """Count requests, as an `Observer` of active requests. stats: the engine's, at the moment."""

    def __init__(self, stats: Callable[[], EngineStats]) -> None:
        self._stats = stats
        self._success = _Sum()
        self._fail = _Sum()
        self._queue = _Sum()
        self._input = _Sum()
        self._infer = _Sum()
        self._last_inference_ms = 0

    def received(self) -> None:
        """Counted when it has ended."""

    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        """Counted when it has ended."""

    def failed(self, error: BaseException, total_s: float) -> None:
        self._fail.add(total_s)

    def succeeded(self, timing: Timing) -> None:
        self._last_inference_ms = int(time.time() * 1000)
        self._success.add(timing.total_s)
        self._queue.add(timing.queue_s)
        self._input.add(timing.validation_s)
        self._infer.add(timing.inference_s)

    def report(self, model: str) -> m.Statistics:
        """Outputs are made while the model runs, so the time for them is part of compute_infer."""
        counters = self._stats().counters
        durations = m.InferenceStatistics(
            success=self._success.report(),
            fail=self._fail.report(),
            queue=self._queue.report(),
            compute_input=self._input.report(),
            compute_infer=self._infer.report(),
            compute_output=_Sum(self._success.count).report(),
            cache_hit=_Sum().report(),
            cache_miss=_Sum().report(),
        )
        statistics = m.ModelStatistics(
            name=model,
            version=VERSION,
            last_inference=self._last_inference_ms,
            inference_count=self._success.count,
            execution_count=counters.num_steps - counters.num_failed_steps,
            inference_stats=durations,
            batch_stats=[],
        )
        return m.Statistics(model_stats=[statistics])
