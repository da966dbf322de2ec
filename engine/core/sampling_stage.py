"""The part of a step that draws the next token of each sequence."""

import time
from collections.abc import Iterator

import torch
from torch import Tensor

from engine.core.generation import Generation, Job
from engine.errors import GenerationFailed
from engine.events import TokenEvent
from engine.sampling.sampler import Sampled, Sampler
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import MAX_TAIL, Sequence
from engine.text.tokenizer import Tokenizer


class SamplingStage:
    """Gives each sequence whose last row was computed its next token, and ends those that it completes."""

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

    def run(
        self, ends: list[tuple[Job, Sequence]], logits: Tensor, batch_size: int
    ) -> Iterator[tuple[Job, list[TokenEvent] | GenerationFailed]]:
        """What each sequence has to tell; siblings that begin here draw from the same row of logits.

        logits: [n, v], raw, of the n sequences. A job that fails is told of once.
        """
        if not ends:
            return
        families = [self._fork(job, sequence) for job, sequence in ends]
        generations = [generation for family in families for generation in family]
        if len(generations) > len(families):
            sizes = torch.tensor([len(family) for family in families], device=logits.device)
            logits = logits.repeat_interleave(sizes, dim=0)
        samples = self._sampler.sample(logits, [generation.sampling for generation in generations])
        now = time.perf_counter()
        failed: set[Job] = set()
        for generation, sampled in zip(generations, samples, strict=True):
            job = generation.job
            if job in failed:
                continue
            try:
                yield job, list(self._follow(generation, sampled, batch_size, now))
            except GenerationFailed as error:
                failed.add(job)
                yield job, error

    def _fork(self, job: Job, sequence: Sequence) -> list[Generation]:
        """The sequence's generation, and those of its siblings, which begin here."""
        family = [job.generations[sequence]]
        while sequence.num_siblings:
            child = self._scheduler.fork(sequence, index=len(family))
            family.append(job.begin(child, self._tokenizer, self._device))
        return family

    def _follow(
        self, generation: Generation, sampled: Sampled | GenerationFailed, batch_size: int, now: float
    ) -> Iterator[TokenEvent]:
        """The events of the token drawn and of those that are forced behind it."""
        for token in self._tail(generation, sampled):
            event = generation.accept(token, self._tokenizer, batch_size=batch_size, now=now)
            yield event
            if event.finish is not None:
                self._end(generation, now)
                return

    def _end(self, generation: Generation, now: float) -> None:
        """Forgets a sequence, and begins the next one of its request where not all could begin together."""
        job, sequence = generation.job, generation.sequence
        self._scheduler.remove(sequence)
        del job.generations[sequence]
        if job.has_more:
            follower = self._scheduler.begin_again(sequence, index=job.num_begun)
            job.num_begun += 1
            job.begin(follower, self._tokenizer, self._device).last_time = now

    def _tail(self, generation: Generation, sampled: Sampled | GenerationFailed) -> Iterator[Sampled]:
        """The token drawn, then those that the grammar forces, each once the one before is accepted."""
        if isinstance(sampled, GenerationFailed):
            raise sampled
        yield sampled
        if self._jump_forward:
            for _ in range(MAX_TAIL - 1):
                if (token_id := generation.sampling.forced_token_id) is None:
                    return
                yield Sampled(token_id)
