"""The times that the phases of one request took."""

from dataclasses import dataclass, field
from time import perf_counter

from engine.port.events import Embedding, TokenEvent


@dataclass(slots=True)
class Timing:
    """Seconds on the monotonic clock, and counts; filled in while the request runs.

    A request of several prompts or sequences has the sums of their tokens, and the longest of their waits.
    """

    started: float = field(default_factory=perf_counter)
    is_validated: bool = False
    validation_s: float = 0.0
    first_token_s: float | None = None  # None where no token has come
    prefill_s: float = 0.0  # of that time, since its prefill began
    finished: float | None = None
    queue_s: float = 0.0
    num_prompt_tokens: int = 0
    num_generated_tokens: int = 0

    def validate(self) -> None:
        """The request is known to be valid and goes to the engine."""
        if not self.is_validated:
            self.is_validated = True
            self.validation_s = perf_counter() - self.started

    def count(self, event: TokenEvent) -> None:
        self.num_generated_tokens += 1
        if self.first_token_s is None:
            self.first_token_s = perf_counter() - self.started
            self.prefill_s = event.step_s
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
