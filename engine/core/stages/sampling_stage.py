"""The part of a step that draws the next token of each sequence."""

import time
from collections.abc import Iterator
from itertools import chain, islice, takewhile
from typing import Final, NamedTuple

import torch
from torch import Tensor

from engine.core.job import Job, JobResult, SequenceState
from engine.core.stages.draft_stage import Draft, DraftStage
from engine.core.stages.isolation import failure, launch_apart
from engine.host.transfers import Readback, upload
from engine.port.errors import GenerationFailed
from engine.port.events import TokenEvent
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.sampler import LaunchedSamples, Sampler
from engine.sampling.state import SamplingState
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import MAX_NEW_TOKENS_PER_STEP, Sequence

# In a step of more sequences, a row for a forced token takes about as long as to draw the token in the next.
MAX_JUMPING: Final = 4


class SequenceEnd(NamedTuple):
    """A sequence whose last row is in the batch.

    rows: the row of its last token, then the rows of the tokens drafted after it.
    draft: the drafted tokens and their states; None if there are none.
    """

    job: Job
    sequence: Sequence
    rows: list[int]
    draft: Draft | None = None

    @property
    def sampling_states(self) -> list[SamplingState]:
        """The states from which a token is drawn, one for each of the rows."""
        state = self.job.states[self.sequence].sampling
        return [state] if self.draft is None else [state, *self.draft.states]


class LaunchedSequences(NamedTuple):
    """Sequences whose next tokens the device draws.

    drafts: the tokens drafted for each sequence, which are none for most.
    samples: the results in the same order, one for each sequence and then one for each of its drafted tokens,
        all launched together or each row by itself.
    """

    states: list[SequenceState]
    drafts: list[list[int]]
    samples: list[LaunchedSamples | GenerationFailed]


class SamplingStage:
    """Draws the next token of each sequence whose last row was computed, and ends completed sequences."""

    def __init__(
        self,
        scheduler: Scheduler,
        sampler: Sampler,
        tokenizer: Tokenizer,
        device: torch.device,
        drafts: DraftStage,
        *,
        jump_forward: bool,
    ) -> None:
        self._drafts = drafts
        self._jump_forward = jump_forward
        self._scheduler = scheduler
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._device = device

    def launch(self, ends: list[SequenceEnd], logits: Tensor, readback: Readback) -> LaunchedSequences | None:
        """Start drawing a token for each row of each sequence.

        Siblings that begin here draw from the same row of logits; such a sequence has no draft.
        logits: raw, [n, vocab_size], the rows of all `ends`. Returns None if `ends` is empty.
        """
        if not ends:
            return None
        states: list[SequenceState] = []
        drafts: list[list[int]] = []
        sampling_states: list[SamplingState] = []
        sizes: list[int] = []  # the number of draws from each row of logits
        for end in ends:
            group = self._fork(end.job, end.sequence)
            states += group
            if end.draft is None:
                drafts += [[]] * len(group)
                sampling_states += [state.sampling for state in group]
                sizes.append(len(group))
            else:
                drafts.append(end.draft.token_ids)
                sampling_states += end.sampling_states
                sizes += [1] * len(end.rows)
        if len(sampling_states) > len(logits):
            repeats = upload(sizes, logits.device)
            logits = logits.repeat_interleave(repeats, dim=0, output_size=len(sampling_states))
        samples = launch_apart(
            lambda rows: self._sampler.launch(logits[rows], sampling_states[rows], readback),
            len(sampling_states),
        )
        return LaunchedSequences(states, drafts, samples)

    def collect(self, launched: LaunchedSequences, batch_size: int) -> Iterator[JobResult]:
        """Yield each sequence's events; call it after `Readback.read`.

        A job that is over is skipped, so that it fails at most once: the caller marks it before taking the
        next result. So is a sequence that has ended before, whose step was launched ahead.
        """
        samples = chain.from_iterable(map(self._results, launched.samples))
        now = time.perf_counter()
        for state, draft in zip(launched.states, launched.drafts, strict=True):
            job = state.job
            sampled = [next(samples), *islice(samples, len(draft))]
            if job.is_over or state.sequence not in job.states:
                continue
            try:
                yield job, list(self._follow(state, sampled, draft, batch_size, now))
            except Exception as error:  # a bug, or an option that no contract lets through
                yield job, failure(error)

    def _results(self, samples: LaunchedSamples | GenerationFailed) -> list[Sampled | GenerationFailed]:
        return [samples] if isinstance(samples, GenerationFailed) else samples.results(self._tokenizer)

    def _fork(self, job: Job, sequence: Sequence) -> list[SequenceState]:
        """Return the states of the sequence and of its siblings, which begin here."""
        group = [job.states[sequence]]
        while sequence.num_siblings:
            child = self._scheduler.fork(sequence, index=len(group))
            group.append(job.begin(child, self._tokenizer, self._device))
        return group

    def _follow(
        self,
        state: SequenceState,
        sampled: list[Sampled | GenerationFailed],
        draft: list[int],
        batch_size: int,
        now: float,
    ) -> Iterator[TokenEvent]:
        """Yield the events of the tokens drawn and of the forced tokens after them.

        sampled: the token drawn from the sequence's last row, then from the row of each drafted token.
        """
        num_before, has_ended = state.sequence.num_tokens, False
        jumps = self._jump_forward and batch_size <= MAX_JUMPING
        for token in self._drawn_and_forced(state, sampled, draft, jumps=jumps):
            was_unseen = state.sequence.has_unseen
            event = state.accept(token, self._tokenizer, batch_size=batch_size, now=now)
            yield event
            if event.finish is not None:
                has_ended = True
                break
            if was_unseen:
                self._scheduler.see(state.sequence)
                state.begin_step(now)  # the next one, launched already
        if draft:
            appended = state.sequence.token_ids[num_before:]
            num_accepted = len(
                list(takewhile(lambda pair: pair[0] == pair[1], zip(appended, draft, strict=False)))
            )
            self._drafts.record(len(draft), num_accepted)
            self._scheduler.drop_draft(state.sequence)
        if has_ended:
            self._end(state, now)

    def _end(self, state: SequenceState, now: float) -> None:
        """Remove an ended sequence, and begin the next one of its request if one has not begun yet."""
        job, sequence = state.job, state.sequence
        self._scheduler.remove(sequence)
        del job.states[sequence]
        if job.has_more:
            follower = self._scheduler.begin_again(sequence, index=job.num_begun)
            job.num_begun += 1
            job.begin(follower, self._tokenizer, self._device).times.last_time = now

    def _drawn_and_forced(
        self,
        state: SequenceState,
        sampled: list[Sampled | GenerationFailed],
        draft: list[int],
        *,
        jumps: bool,
    ) -> Iterator[Sampled]:
        """Yield the tokens drawn, then those that the grammar forces if it `jumps`, each once the one before
        is accepted.

        A row of a drafted token counts if all tokens up to it are those that were drawn. Where such a row
        gives no token, the next step computes it once more, so that the request fails after all events
        before.
        """
        for place, drawn in enumerate(sampled):
            if isinstance(drawn, GenerationFailed):
                if place == 0:
                    raise drawn
                return
            if place > 0:
                self._scheduler.confirm(state.sequence)
            yield drawn
            if place < len(draft) and drawn.token_id != draft[place]:
                break
        if jumps:
            for _ in range(MAX_NEW_TOKENS_PER_STEP - 1 - place):
                if (token_id := state.sampling.forced_token_id) is None:
                    return
                yield Sampled(token_id)
