"""The state of a running request: its sequences, and the events made of their tokens."""

from dataclasses import dataclass, field

import torch

from engine.errors import GenerationFailed
from engine.events import FinishReason, PromptToken, TokenEvent
from engine.grammar.compiler import CompiledGrammar
from engine.request import GenerationRequest
from engine.sampling.request_tables import RequestTables
from engine.sampling.sampler import Sampled, SamplingState
from engine.scheduling.sequence import Sequence
from engine.text.output_text import OutputText
from engine.text.tokenizer import Tokenizer


@dataclass(slots=True, eq=False)
class Job:
    """A request in the engine. Times are seconds of one monotonic clock.

    started_at: the start of the first step that computed any of it. num_cached_tokens: set at that time.
    states: those of the sequences that have begun and not ended, or the current beams of a beam search.
    prompt_scores: the log-probabilities of the prompt's tokens from the second on, as far as they are
        computed; preemption keeps them.
    has_sent_prompt: whether the prompt's log-probabilities were sent.
    tables: those of the request's options; None until they are made.
    num_begun: the number of sequences that have begun, or will as siblings of the first. Each of the others
        begins when one of these ends.
    is_over: whether it has ended, or was aborted.
    """

    request: GenerationRequest
    arrival: int
    submitted_at: float
    grammar: CompiledGrammar | None
    started_at: float | None = None
    num_cached_tokens: int = 0
    states: dict[Sequence, "SequenceState"] = field(default_factory=dict)
    prompt_scores: list[PromptToken] = field(default_factory=list)
    has_sent_prompt: bool = False
    tables: RequestTables | None = None
    num_begun: int = 0
    is_over: bool = False

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
            index=sequence.index,
            prompt_token_ids=request.prompt.token_ids,
            tokenizer=tokenizer,
            grammar=self.grammar,
            device=device,
            tables=tables,
        )
        text = OutputText(
            tokenizer,
            request.prompt.token_ids,
            request.stopping,
            skip_special_tokens=request.skip_special_tokens,
            stop_patterns=tables.stop_patterns,
        )
        state = SequenceState(self, sequence, sampling, text, self.started_at or self.submitted_at)
        self.states[sequence] = state
        return state

    def start(self, now: float, *, num_cached_tokens: int) -> None:
        self.started_at = now
        self.num_cached_tokens = num_cached_tokens
        for state in self.states.values():
            state.last_time = now

    def take_prompt(self, tokenizer: Tokenizer) -> tuple[PromptToken, ...] | None:
        """Return the prompt's log-probabilities if they are requested, for the first event;

        None after that.
        """
        if self.has_sent_prompt or self.request.sampling.num_prompt_logprobs is None:
            return None
        self.has_sent_prompt = True
        first = self.request.prompt.token_ids[0]
        return (PromptToken(first, tokenizer.token_text(first), None), *self.prompt_scores)


@dataclass(slots=True, eq=False)
class SequenceState:
    """One sequence's sampling state and text.

    last_time: the time of its previous token, or of its request's start. wait_s: the seconds from then until
    the current step began.
    """

    job: Job
    sequence: Sequence
    sampling: SamplingState
    text: OutputText
    last_time: float
    wait_s: float = 0.0

    def begin_step(self, now: float) -> None:
        """Record that a step which computes a part of the sequence began at `now`."""
        self.wait_s = now - self.last_time

    def accept(self, sampled: Sampled, tokenizer: Tokenizer, *, batch_size: int, now: float) -> TokenEvent:
        """Append a token and return its event, which has a `finish` if the token is the last."""
        token_id = sampled.token_id
        sequence = self.sequence
        sequence.token_ids.append(token_id)
        self.sampling.accept(token_id)
        finish = self._finish_by_token(token_id, tokenizer)
        step = self.text.append(token_id, is_last=finish is not None, is_cut=self._is_cut(token_id, finish))
        if step.stop_match is not None:
            finish = FinishReason.STOP
        if finish is not None and self._ends_by_length:
            finish = FinishReason.LENGTH
        step_s, self.last_time = now - self.last_time, now
        job = self.job
        position = sequence.num_output_tokens - 1
        queue_s = (job.started_at or now) - job.submitted_at
        return TokenEvent(
            request_id=job.request.request_id,
            index=sequence.index,
            position=position,
            token_id=token_id,
            token_text=step.token_text,
            is_special=tokenizer.is_special(token_id),
            text=step.text,
            logprob=sampled.logprob,
            top_logprobs=sampled.top_logprobs,
            prompt=job.take_prompt(tokenizer),
            finish=finish,
            stop_match=step.stop_match,
            num_prompt_tokens=sequence.num_prompt_tokens,
            num_cached_tokens=job.num_cached_tokens,
            num_preemptions=sequence.num_preemptions,
            batch_size=batch_size,
            queue_s=queue_s,
            wait_s=self.wait_s if position else queue_s,
            step_s=step_s,
        )

    @property
    def _ends_by_length(self) -> bool:
        stopping = self.job.request.stopping
        return stopping.length_first and self.sequence.num_output_tokens >= stopping.max_tokens

    def _is_cut(self, token_id: int, finish: FinishReason | None) -> bool:
        """Return whether the token is a stop token of the request, whose text is left out of the output."""
        is_stop = finish is FinishReason.STOP and self._stops_at(token_id)
        return is_stop and not self.job.request.stopping.include_stop

    def _stops_at(self, token_id: int) -> bool:
        assert self.job.tables is not None, "tables are made before the first sequence"
        return token_id in self.job.tables.stop_token_ids

    def _finish_by_token(self, token_id: int, tokenizer: Tokenizer) -> FinishReason | None:
        stopping = self.job.request.stopping
        num_output_tokens = self.sequence.num_output_tokens
        if num_output_tokens > stopping.min_tokens:
            if self._stops_at(token_id):
                return FinishReason.STOP
            if token_id in tokenizer.end_token_ids and not stopping.ignore_eos:
                return FinishReason.END_TOKEN
        if self.sampling.is_finished:
            return FinishReason.STOP
        return FinishReason.LENGTH if num_output_tokens >= stopping.max_tokens else None


# The result of a step for a request: tokens of one or more of its sequences, or its error.
JobResult = tuple[Job, list[TokenEvent] | GenerationFailed]
