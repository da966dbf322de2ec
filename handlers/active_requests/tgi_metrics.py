"""The counts and histograms of requests under the names of text-generation-inference."""

from functools import partial
from typing import Final, get_args

from prometheus_client import CollectorRegistry, Counter

from handlers.access.visits.timing import Timing
from handlers.active_requests.failure import Failure, failure_of
from handlers.active_requests.families import Histograms
from handlers.active_requests.vllm_metrics import CountedRequests

# 0.15 ms to 146 s, as the released servers have them.
_DURATION_BUCKETS: Final = tuple(0.0001 * 1.5**k for k in range(1, 36))


def _linear_buckets(largest: int) -> tuple[float, ...]:
    """Return 100 buckets of equal width up to `largest`."""
    return tuple(largest * k / 100 for k in range(1, 101))


class TgiMetrics:
    """The requests that came, those that were answered or failed, and how long and large they were."""

    def __init__(self, registry: CollectorRegistry, max_total_tokens: int) -> None:
        self._count = Counter("tgi_request_count", "Requests received", registry=registry)
        self._success = Counter("tgi_request_success", "Requests answered", registry=registry)
        self._failure = Counter("tgi_request_failure", "Requests failed", ["err"], registry=registry)
        for failure in get_args(Failure):
            self._failure.labels(failure)  # from the start, so that the first failure shows as an increase
        counted = Histograms()
        registry.register(counted)
        durations = partial(counted.add, bounds=_DURATION_BUCKETS)
        lengths = partial(counted.add, bounds=_linear_buckets(max_total_tokens))
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

    @property
    def counted(self) -> CountedRequests:
        """The histograms that vLLM has too, under names of its own."""
        return CountedRequests(self._duration, self._queue, self._inference, self._generated, self._max_new)

    def received(self) -> None:
        self._count.inc()

    def validated(self, num_prompt_tokens: int, max_new_tokens: int) -> None:
        self._input.observe(num_prompt_tokens)
        self._max_new.observe(max_new_tokens)

    def failed(self, error: BaseException) -> None:
        self._failure.labels(failure_of(error)).inc()

    def succeeded(self, timing: Timing) -> None:
        self._success.inc()
        self._duration.observe(timing.total_s)
        self._validation.observe(timing.validation_s)
        self._queue.observe(timing.queue_s)
        self._inference.observe(timing.inference_s)
        self._per_token.observe(timing.time_per_token_s)
        self._generated.observe(timing.num_generated_tokens)
