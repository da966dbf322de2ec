"""A request from its arrival to the end of its answer: the one record of it, and the current task's."""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter, time_ns
from typing import Final, Literal, TypeAlias

from engine.port.request import GenerationRequest
from handlers.access.key import Key
from handlers.access.rate_limits import RateLimit
from handlers.access.visits.timing import Timing
from handlers.chat.reading.call_times import CallTimes
from verbatim_kit.runtime.endpoint import Endpoint

End: TypeAlias = Literal["complete", "error", "disconnected"]


@dataclass(slots=True)
class Visit:
    """A request. The log, the audit log, metrics and traces are made from it when it has ended.

    path: without the query, cut where it is long. client: the client's address; None if it left before the
    server could ask for it.
    """

    method: str
    path: str
    scheme: str
    client: str | None
    arrived_ns: int = field(default_factory=time_ns)
    """When its headers had come, since 1970."""
    started_s: float = field(default_factory=perf_counter)
    """The same, and below, by the clock of `time.perf_counter`."""
    ended_s: float = 0.0
    """When the last byte of the answer had been sent, or the client had left."""
    request_id: str = ""
    endpoint: Endpoint | None = None
    """None if no operation has the path."""
    is_quiet: bool = False
    """Whether a monitor asked, of which only the log at the level debug says anything."""
    key: Key | None = None
    """Its valid API key."""
    is_batch: bool = False
    """Whether it is a line of a batch, which runs when nothing else waits and is charged to no rate limit."""
    is_generating: bool = False
    """Whether its operation asks the model."""
    timing: Timing | None = None
    """Its times and tokens in the engine; None if it never came so far."""
    adapter: str | None = None
    parameters: dict[str, float | None] = field(default_factory=dict)
    """The parameters that the engine used, named as by OpenTelemetry; of several prompts, the last one's."""
    calls: CallTimes | None = None
    """The times of its answers' tool calls, if requests are traced."""
    status: int | None = None
    is_stream: bool = False
    is_answered: bool = False
    """Whether the last byte of the answer has been sent."""
    is_recorded: bool = False
    """Whether another process has made the record of the request."""
    error: str | None = None
    """The kind of the error that it ended with."""
    error_status: int | None = None
    """The status of that error, as far as its operation generates; another one may have been sent before."""
    texts: tuple[str, str] | None = None
    """Its body and the answer's, cut where they are long; with `--log-requests`, and only for the log."""
    trace_context: Sequence[tuple[bytes, bytes]] = ()
    """The headers of W3C Trace Context, if requests are traced."""
    span: object = None
    """Its span of OpenTelemetry, if that was begun before the end."""

    @property
    def names(self) -> tuple[str, str] | tuple[None, None]:
        """Its contract and operation, if any operation has the path."""
        found = self.endpoint
        return (None, None) if found is None else (found.contract.name, found.operation.id)

    @property
    def end(self) -> End:
        """It is "error" if the answer reports one, "disconnected" if the client left before its end."""
        if self.error is not None:
            return "error"
        return "complete" if self.is_answered else "disconnected"

    def fail(self, error: str, status: int) -> None:
        """Note the error that the request ended with."""
        self.error, self.error_status = error, status

    def submit(self, request: GenerationRequest) -> None:
        """Note what the engine is asked for."""
        sampling = request.sampling
        self.adapter = request.adapter
        self.parameters = {
            "max_tokens": request.stopping.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "presence_penalty": sampling.presence_penalty,
            "frequency_penalty": sampling.frequency_penalty,
            "choice.count": request.num_sequences,
        }

    def charge(self, num_tokens: int) -> None:
        """Charge prompt or generated tokens to the key."""
        if self.key is not None and not self.is_batch:
            self.key.limits.count_tokens(num_tokens)

    def cache_salt(self, given: str | None) -> str | None:
        """Return the salt from `Key.cache_salt`; the request's own if it has no key."""
        return given if self.key is None else self.key.cache_salt(given)


def private_cache_salt(given: str | None) -> str | None:
    """Return the salt of the prefix cache for the current request.

    given: the salt in the request; None without one. Call this in the request's task, or in a copy of its
    context.
    """
    visit = current_visit.get()
    return given if visit is None else visit.cache_salt(given)


def current_key_name() -> str:
    """Return the name of the current request's key; empty without one."""
    visit = current_visit.get()
    return "" if visit is None or visit.key is None else visit.key.name


def current_limits() -> list[RateLimit]:
    """Return the limits of the current request's key; none without a key that has limits."""
    visit = current_visit.get()
    return [] if visit is None or visit.key is None else visit.key.limits.now()


# Each request has its own task; tasks that it starts inherit the context.
current_visit: Final[ContextVar[Visit | None]] = ContextVar("current_visit", default=None)
