"""The part of a step that beam searches take in place of sampling."""

from collections.abc import Iterator

import torch
from torch import Tensor

from engine.beam import Candidate
from engine.errors import GenerationFailed
from engine.events import TokenEvent
from engine.generation import Job
from engine.sampler import Sampler
from engine.scheduler import Scheduler
from engine.sequence import Sequence
from engine.tokenizer import Tokenizer


class BeamStage:
    """Follows every search whose beams were computed in a step."""

    def __init__(
        self, scheduler: Scheduler, sampler: Sampler, tokenizer: Tokenizer, device: torch.device
    ) -> None:
        self._scheduler = scheduler
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._device = device

    def run(
        self, beams: list[tuple[Job, Sequence]], logits: Tensor, batch_size: int
    ) -> Iterator[tuple[Job, list[TokenEvent] | GenerationFailed]]:
        """The searches that end here, each once: with all events of their sequences, or the error.

        logits: [n, v], raw, of the n beams.
        """
        states = [job.generations[sequence].sampling for job, sequence in beams]
        num_candidates = max(job.beams.num_candidates for job, _ in beams if job.beams)
        rows = self._sampler.candidates(logits, states, num_candidates)
        failed: set[Job] = set()
        for (job, sequence), candidates in zip(beams, rows, strict=True):
            if job in failed:
                continue
            try:
                if events := self._follow(job, sequence, candidates, batch_size):
                    yield job, events
            except GenerationFailed as error:
                failed.add(job)
                yield job, error

    def _follow(
        self, job: Job, sequence: Sequence, candidates: list[Candidate] | GenerationFailed, batch_size: int
    ) -> list[TokenEvent]:
        """Lets the search go on if all its beams are computed; its events if it ends with that."""
        if isinstance(candidates, GenerationFailed):
            raise candidates
        assert job.beams is not None
        if not job.beams.take(sequence, candidates) or job.beams.advance(self._scheduler):
            return []
        return job.beams.events(self._scheduler, self._tokenizer, self._device, batch_size)
