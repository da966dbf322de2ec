"""The part of a step that draws the next token of each sequence."""

import time
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from engine.core.job import Job, JobResult, SequenceState
from engine.errors import GenerationFailed
from engine.events import TokenEvent
from engine.sampling.sampler import LaunchedSamples, Sampled, Sampler
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import MAX_NEW_TOKENS_PER_STEP, Sequence
from engine.text.tokenizer import Tokenizer
from engine.transfers import Readback, upload


class LaunchedSequences(NamedTuple):
    """Sequences whose next tokens the device draws; the samples are in the same order."""

    states: list[SequenceState]
    samples: LaunchedSamples


class SamplingStage:
    """Draws the next token of each sequence whose last row was computed, and ends completed sequences."""

    def __init__(
        self,
        scheduler: Scheduler,
        sampler: Sampler,
        tokenizer: Tokenizer,
        device: torch.device,
        *,
        jump_forward: bool,
    ) -> None:
        self._jump_forward = jump_forward
        self._scheduler = scheduler
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._device = device

    def launch(
        self, ends: list[tuple[Job, Sequence]], logits: Tensor, readback: Readback
    ) -> LaunchedSequences | None:
        """Start drawing a token for each sequence; siblings that begin here draw from the same row of logits.

        logits: raw, [n, vocab_size], one row for each of `ends`. Returns None if `ends` is empty.
        """
        if not ends:
            return None
        groups = [self._fork(job, sequence) for job, sequence in ends]
        states = [state for group in groups for state in group]
        if len(states) > len(groups):
            sizes = upload([len(group) for group in groups], logits.device)
            logits = logits.repeat_interleave(sizes, dim=0, output_size=len(states))
        sampling_states = [state.sampling for state in states]
        return LaunchedSequences(states, self._sampler.launch(logits, sampling_states, readback))

    def collect(self, launched: LaunchedSequences, batch_size: int) -> Iterator[JobResult]:
        """Yield each sequence's events; call it after `Readback.read`.

        A job that is over is skipped, so that it fails at most once: the caller marks it before taking the
        next result.
        """
        samples = launched.samples.results(self._tokenizer)
        now = time.perf_counter()
        for state, sampled in zip(launched.states, samples, strict=True):
            job = state.job
            if job.is_over:
                continue
            try:
                yield job, list(self._follow(state, sampled, batch_size, now))
            except GenerationFailed as error:
                yield job, error

    def _fork(self, job: Job, sequence: Sequence) -> list[SequenceState]:
        """Return the states of the sequence and of its siblings, which begin here."""
        group = [job.states[sequence]]
        while sequence.num_siblings:
            child = self._scheduler.fork(sequence, index=len(group))
            group.append(job.begin(child, self._tokenizer, self._device))
        return group

    def _follow(
        self, state: SequenceState, sampled: Sampled | GenerationFailed, batch_size: int, now: float
    ) -> Iterator[TokenEvent]:
        """Yield the events of the token drawn and of the forced tokens after it."""
        for token in self._drawn_and_forced(state, sampled):
            event = state.accept(token, self._tokenizer, batch_size=batch_size, now=now)
            yield event
            if event.finish is not None:
                self._end(state, now)
                return

    def _end(self, state: SequenceState, now: float) -> None:
        """Remove an ended sequence, and begin the next one of its request if one has not begun yet."""
        job, sequence = state.job, state.sequence
        self._scheduler.remove(sequence)
        del job.states[sequence]
        if job.has_more:
            follower = self._scheduler.begin_again(sequence, index=job.num_begun)
            job.num_begun += 1
            job.begin(follower, self._tokenizer, self._device).last_time = now

    def _drawn_and_forced(
        self, state: SequenceState, sampled: Sampled | GenerationFailed
    ) -> Iterator[Sampled]:
        """Yield the token drawn, then those that the grammar forces, each once the one before is accepted."""
        if isinstance(sampled, GenerationFailed):
            raise sampled
        yield sampled
        if self._jump_forward:
            for _ in range(MAX_NEW_TOKENS_PER_STEP - 1):
                if (token_id := state.sampling.forced_token_id) is None:
                    return
                yield Sampled(token_id)
