"""The record of a traced request, from which its spans are made after its end."""

from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter, time_ns
from typing import Final, TypeAlias

from engine.port.events import FinishReason, TokenEvent
from engine.port.request import GenerationRequest
from handlers.access.visits.timing import Timing
from handlers.chat.reading.call_times import CallTimes

Attributes: TypeAlias = dict[str, str | bool | int | float | tuple[str, ...]]

# Parameters of sampling that have a name in the conventions, and the values with which they change nothing.
_NEUTRAL: Final = {"top_p": 1.0, "top_k": None, "presence_penalty": 0.0, "frequency_penalty": 0.0}


@dataclass(slots=True)
class RequestTrace:
    """A request while it is answered, with times in seconds of `perf_counter`; nothing of prompt and answer.

    arrived_ns, arrived_s: when its header had arrived: since 1970, and by the other clock.
    attributes: of its span, as far as they are known. status: of its answer; None if there was none.
    timing: None unless its operation asks the engine for tokens or vectors.
    finishes: the engine's, by request of the engine and sequence.
    failure: the kind of error that it ended with, in the words of the metrics.
    """

    arrived_ns: int = field(default_factory=time_ns)
    arrived_s: float = field(default_factory=perf_counter)
    ended_s: float = 0.0
    status: int | None = None
    attributes: Attributes = field(default_factory=dict)
    is_generating: bool = False
    timing: Timing | None = None
    adapter: str | None = None
    finishes: dict[tuple[str, int], FinishReason] = field(default_factory=dict)
    last_token_s: float = 0.0
    num_cached_tokens: int = 0
    calls: CallTimes = field(default_factory=CallTimes)
    failure: str | None = None

    def submit(self, request: GenerationRequest) -> None:
        """Note what the engine is asked for; of several prompts, the last one's parameters stay."""
        self.adapter, sampling = request.adapter, request.sampling
        found = self.attributes
        found["gen_ai.request.max_tokens"] = request.stopping.max_tokens
        found["gen_ai.request.temperature"] = sampling.temperature
        for name, neutral in _NEUTRAL.items():
            if (value := getattr(sampling, name)) != neutral:
                found[f"gen_ai.request.{name}"] = value
        if request.num_sequences != 1:
            found["gen_ai.request.choice.count"] = request.num_sequences

    def end_sequence(self, last: TokenEvent) -> None:
        """Note that a sequence has ended. last: its last event, which has a `finish`."""
        assert last.finish is not None
        self.finishes[last.request_id, last.index] = last.finish
        self.num_cached_tokens = max(self.num_cached_tokens, last.num_cached_tokens)
        self.last_token_s = perf_counter()

    def ns_of(self, time_s: float) -> int:
        """Return a time of `perf_counter` in nanoseconds since 1970."""
        return self.arrived_ns + int((time_s - self.arrived_s) * 1e9)


# Each request has its own task; tasks that it starts inherit the context.
current_trace: Final[ContextVar[RequestTrace | None]] = ContextVar("current_trace", default=None)
