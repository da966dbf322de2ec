"""Whole generated sequences, for answers that are not streamed."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from engine.port.events import FinishReason, PromptToken, TokenEvent


@dataclass
class GeneratedSequence:
    """One sequence while its events arrive; `events` has one a token, the end token's included."""

    index: int
    events: list[TokenEvent] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events)

    @property
    def finish(self) -> FinishReason:
        """The reason why the sequence ended. Requires its last event."""
        reason = self.events[-1].finish
        assert reason is not None, "asked for before the sequence's last event"
        return reason

    @property
    def mean_logprob(self) -> float:
        """Mean over the tokens, the end token included; needs log-probabilities in the events."""
        return sum(event.logprob or 0.0 for event in self.events) / len(self.events)


class GeneratedRequest:
    """The sequences of one request while their events arrive.

    prompt: the prompt's tokens with log-probabilities, where the request asked for them.
    """

    def __init__(self, num_sequences: int = 1) -> None:
        self.sequences = [GeneratedSequence(index) for index in range(num_sequences)]
        self.num_prompt_tokens = 0
        self.num_cached_tokens = 0
        self.prompt: tuple[PromptToken, ...] = ()

    @property
    def likeliest(self) -> GeneratedSequence:
        """The sequence of highest mean log-probability."""
        return max(self.sequences, key=lambda sequence: sequence.mean_logprob)

    @property
    def num_tokens(self) -> int:
        """Tokens that an answer may list, those of a prompt with log-probabilities included."""
        return len(self.prompt) + sum(len(sequence.events) for sequence in self.sequences)

    def add(self, event: TokenEvent) -> None:
        self.sequences[event.index].events.append(event)
        self.num_prompt_tokens = event.num_prompt_tokens
        self.num_cached_tokens = event.num_cached_tokens
        self.prompt = event.prompt or self.prompt


async def collect_sequences(events: AsyncGenerator[TokenEvent, None], num_sequences: int) -> GeneratedRequest:
    """Read the events to their end, and close them; the engine's errors pass through."""
    request = GeneratedRequest(num_sequences)
    async with aclosing(events):
        async for event in events:
            request.add(event)
    return request


async def collect_merged(
    events: AsyncGenerator[tuple[int, TokenEvent], None], num_requests: int, num_sequences: int = 1
) -> list[GeneratedRequest]:
    """Read the events of several requests, each with its request's number, to their end, and close them.

    num_sequences: the number of sequences of each request.
    """
    requests = [GeneratedRequest(num_sequences) for _ in range(num_requests)]
    async with aclosing(events):
        async for number, event in events:
            requests[number].add(event)
    return requests
