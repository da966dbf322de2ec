"""The times that the phases of one request took."""

from dataclasses import dataclass, field
from time import perf_counter

from engine.port.events import Embedding, FinishReason, TokenEvent


@dataclass(slots=True)
class Timing:
    """Seconds on the monotonic clock, and counts; filled in while the request runs.

    A request of several prompts or sequences has the sums of their tokens, and the longest of their waits.
    """

    started: float = field(default_factory=perf_counter)
    is_validated: bool = False
    validation_s: float = 0.0
    first_token_s: float | None = None  # None where no token has come
    finished: float | None = None
    queue_s: float = 0.0
    num_prompt_tokens: int = 0
    num_generated_tokens: int = 0
    num_cached_tokens: int = 0
    last_token_s: float = 0.0
    finishes: list[tuple[int, FinishReason]] = field(default_factory=list)
    """The index of each sequence that has ended, and why it did."""

    def validate(self) -> None:
        """The request is known to be valid and goes to the engine."""
        if not self.is_validated:
            self.is_validated = True
            self.validation_s = perf_counter() - self.started

    def count(self, event: TokenEvent) -> int:
        """Count a token, and return how many have come with it: the prompt's too with the first."""
        num_tokens = 1
        self.num_generated_tokens += 1
        if self.first_token_s is None:
            self.first_token_s = perf_counter() - self.started
        if event.index == 0 and event.position == 0:
            self.num_prompt_tokens += event.num_prompt_tokens
            self.num_cached_tokens += event.num_cached_tokens
            num_tokens += event.num_prompt_tokens
        if event.queue_s > self.queue_s:
            self.queue_s = event.queue_s
        if event.finish is not None:
            self.finishes.append((event.index, event.finish))
            self.last_token_s = perf_counter() - self.started
        return num_tokens

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
        if self.decode_s is None or self.num_generated_tokens < 2:
            return None
        return self.decode_s / (self.num_generated_tokens - 1)

    @property
    def prefill_s(self) -> float | None:
        """The seconds from when it first ran to its first token; None where none has come."""
        if self.first_token_s is None:
            return None
        return max(0.0, self.first_token_s - self.validation_s - self.queue_s)

    @property
    def decode_s(self) -> float | None:
        """The seconds from its first token to its end; None where no token has come."""
        return None if self.first_token_s is None else max(0.0, self.total_s - self.first_token_s)

    @property
    def inference_s(self) -> float:
        return max(0.0, self.total_s - self.validation_s - self.queue_s)

    @property
    def time_per_token_s(self) -> float:
        return self.inference_s / max(1, self.num_generated_tokens)
