"""The times that the phases of one request took."""

from dataclasses import dataclass, field
from time import perf_counter

from engine.events import Embedding, TokenEvent


@dataclass(slots=True)
class Timing:
    """Seconds on the monotonic clock, and counts; filled in while the request runs.

    A request of several prompts or sequences has the sums of their tokens, and the longest of their waits.
    """

    started: float = field(default_factory=perf_counter)
    validated: float | None = None
    first_token: float | None = None
    finished: float | None = None
    queue_s: float = 0.0
    num_prompt_tokens: int = 0
    num_generated_tokens: int = 0

    def validate(self) -> None:
        """The request is known to be valid and goes to the engine."""
        if self.validated is None:
            self.validated = perf_counter()

    def count(self, event: TokenEvent) -> None:
        self.num_generated_tokens += 1
        if self.first_token is None:
            self.first_token = perf_counter()
        if event.index == 0 and event.position == 0:
            self.num_prompt_tokens += event.num_prompt_tokens
        if event.queue_s > self.queue_s:
            self.queue_s = event.queue_s

    def count_embedding(self, embedding: Embedding) -> None:
        self.num_prompt_tokens += embedding.num_prompt_tokens
        self.queue_s = max(self.queue_s, embedding.queue_s)

    def finish(self) -> None:
        self.finished = perf_counter()

    @property
    def total_s(self) -> float:
        return (perf_counter() if self.finished is None else self.finished) - self.started

    @property
    def validation_s(self) -> float:
        return 0.0 if self.validated is None else self.validated - self.started

    @property
    def first_token_s(self) -> float | None:
        """The seconds until the first token; None where none has come."""
        return None if self.first_token is None else self.first_token - self.started

    @property
    def time_between_tokens_s(self) -> float | None:
        """The seconds from the first token on, for each further one; None where there is none."""
        if self.first_token_s is None or self.num_generated_tokens < 2:
            return None
        return max(0.0, self.total_s - self.first_token_s) / (self.num_generated_tokens - 1)

    @property
    def inference_s(self) -> float:
        return max(0.0, self.total_s - self.validation_s - self.queue_s)

    @property
    def time_per_token_s(self) -> float:
        return self.inference_s / max(1, self.num_generated_tokens)
