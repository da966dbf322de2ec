"""The state of a running request: its sequences, and the events made of their tokens."""

from dataclasses import dataclass, field
from random import getrandbits
from typing import Final

import torch

from engine.grammar.compiler import CompiledGrammar
from engine.port.errors import GenerationFailed
from engine.port.events import PromptToken, TokenEvent
from engine.port.request import GenerationRequest
from engine.port.text.sampled import Sampled
from engine.port.text.sequence_output import SequenceOutput
from engine.port.text.token_times import TokenTimes
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.request_tables import RequestTables
from engine.sampling.state import SamplingState
from engine.scheduling.sequence import Sequence

_SEED_BITS: Final = 64


@dataclass(slots=True, eq=False)
class Job:
    """A request in the engine. Times are seconds of one monotonic clock."""

    request: GenerationRequest
    """The request."""

    arrival: int
    """The request's number by order of arrival."""

    submitted_at: float
    """The time of submission."""

    grammar: CompiledGrammar | None
    """The compiled grammar of the request, if it has one."""

    started_at: float | None = None
    """The start of the first step that computed any of it; None before that."""

    num_cached_tokens: int = 0
    """The number of prompt tokens that were cached when it started."""

    states: dict[Sequence, "SequenceState"] = field(default_factory=dict)
    """The states of the sequences that have begun and not ended, or of the current beams of a beam search."""

    prompt_scores: list[PromptToken] = field(default_factory=list)
    """The prompt's tokens from the second on, with their log-probabilities, as far as they are computed;
    preemption keeps them."""

    has_sent_prompt: bool = False
    """True once the prompt's log-probabilities were sent."""

    tables: RequestTables | None = None
    """The tables made of the request's options; None until they are made."""

    num_begun: int = 0
    """The number of sequences that have begun, or will as siblings of the first. Each of the others begins
    when one of these ends."""

    is_over: bool = False
    """True once it has ended, or was aborted."""

    _seed: int = field(init=False)

    def __post_init__(self) -> None:
        given = self.request.sampling.seed
        self._seed = getrandbits(_SEED_BITS) if given is None else given

    @property
    def num_initial_sequences(self) -> int:
        """The number of sequences that begin when the prompt is computed."""
        if self.request.beams is not None:
            return self.request.beams.num_beams
        return min(self.request.num_sequences, self.request.num_parallel or self.request.num_sequences)

    @property
    def has_more(self) -> bool:
        """True if another sequence begins when one ends."""
        return self.request.beams is None and self.num_begun < self.request.num_sequences

    @property
    def reads_cache(self) -> bool:
        """True if cached blocks may be used: not if the prompt's log-probabilities are requested."""
        return self.request.sampling.num_prompt_logprobs is None

    @property
    def sequences(self) -> list[Sequence]:
        return list(self.states)

    def begin(self, sequence: Sequence, tokenizer: Tokenizer, device: torch.device) -> "SequenceState":
        """Make and return the sampling and text state of a sequence without output."""
        request = self.request
        tables = self.tables = self.tables or RequestTables(
            request.sampling, request.stopping, tokenizer, device
        )
        sampling = SamplingState(
            request.sampling,
            request.stopping,
            seed=self._seed + sequence.index,
            prompt_token_ids=request.prompt.token_ids,
            tokenizer=tokenizer,
            grammar=self.grammar,
            device=device,
            tables=tables,
        )
        output = SequenceOutput(
            request,
            tokenizer,
            index=sequence.index,
            stop_patterns=tables.stop_patterns,
            stop_token_ids=tables.stop_token_ids,
        )
        started_at = self.started_at or self.submitted_at
        times = TokenTimes(started_at, started_at - self.submitted_at)
        state = SequenceState(self, sequence, sampling, output, times)
        self.states[sequence] = state
        return state

    def start(self, now: float, *, num_cached_tokens: int) -> None:
        self.started_at = now
        self.num_cached_tokens = num_cached_tokens
        for state in self.states.values():
            state.times.last_time, state.times.queue_s = now, now - self.submitted_at

    def take_prompt(self, tokenizer: Tokenizer) -> tuple[PromptToken, ...] | None:
        """Return the prompt's tokens for the first event if their log-probabilities are requested.

        None if they are not, and in later calls.
        """
        if self.has_sent_prompt or self.request.sampling.num_prompt_logprobs is None:
            return None
        self.has_sent_prompt = True
        first = self.request.prompt.token_ids[0]
        return (PromptToken(first, tokenizer.token_text(first), None), *self.prompt_scores)


@dataclass(slots=True, eq=False)
class SequenceState:
    """One sequence's sampling state and output."""

    job: Job
    """The job that the sequence belongs to."""

    sequence: Sequence
    """The scheduler's view of it."""

    sampling: SamplingState
    """The state from which its tokens are drawn."""

    output: SequenceOutput
    """The text so far, and the rule by which it ends."""

    times: TokenTimes
    """The times of its tokens, by the same clock as those of the job."""

    @property
    def num_draftable(self) -> int:
        """The most tokens that a draft may have, so that the one after them is the last that may come."""
        return self.job.request.stopping.max_tokens - self.sequence.num_output_tokens - 1

    @property
    def ends_by_next(self) -> bool:
        """True if the next token is the last that the request allows."""
        return self.sequence.num_output_tokens + 1 >= self.job.request.stopping.max_tokens

    def take_unseen(self) -> None:
        """Append the next token before it is known; `accept` gives its number."""
        assert not self.sequence.has_unseen
        self.sequence.token_ids.append(0)
        self.sequence.has_unseen = True
        self.sampling.pass_over()

    def begin_step(self, now: float) -> None:
        """Record that a step which computes a part of the sequence began at `now`."""
        self.times.wait_s = now - self.times.last_time

    def accept(self, sampled: Sampled, tokenizer: Tokenizer, *, batch_size: int, now: float) -> TokenEvent:
        """Append a token and return its event, which has a `finish` if the token is the last.

        An unseen token is one that is appended already.
        """
        token_id, sequence = sampled.token_id, self.sequence
        if sequence.has_unseen:
            sequence.token_ids[-1] = token_id
            sequence.has_unseen = False
        else:
            sequence.token_ids.append(token_id)
            self.sampling.accept(token_id)
        job, times = self.job, self.times
        times.step_s, times.last_time = now - times.last_time, now
        return self.output.append(
            sampled,
            times,
            is_complete=self.sampling.is_finished,
            prompt=job.take_prompt(tokenizer),
            num_cached_tokens=job.num_cached_tokens,
            num_preemptions=sequence.num_preemptions,
            batch_size=batch_size,
        )


# The result of a step for a request: tokens of one or more of its sequences, or its error.
JobResult = tuple[Job, list[TokenEvent] | GenerationFailed]
