"""The part of a step that beam searches take in place of sampling."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor

from engine.core.job import Job, JobResult, SequenceState
from engine.core.stages.beam_group import BeamGroup
from engine.core.stages.isolation import failure, launch_apart
from engine.host.transfers import Readback
from engine.port.errors import GenerationFailed
from engine.port.events import TokenEvent
from engine.port.request import BeamParams
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.beam_search import Candidate
from engine.sampling.sampler import LaunchedCandidates, Sampler
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence


class LaunchedBeams(NamedTuple):
    """Beams whose continuations the device ranks.

    candidates: the ranked continuations in the order of `beams`, launched together or each beam by itself.
    """

    beams: list[tuple[Job, Sequence]]
    candidates: list[LaunchedCandidates | GenerationFailed]


class BeamStage:
    """Advances every search whose beams were computed in a step."""

    def __init__(
        self, scheduler: Scheduler, sampler: Sampler, tokenizer: Tokenizer, device: torch.device
    ) -> None:
        self._scheduler = scheduler
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._device = device
        self._groups: dict[Job, BeamGroup] = {}

    def begin(self, job: Job, first: SequenceState, params: BeamParams) -> None:
        """Begin the search of a job. first: its only sequence, not yet computed."""
        self._groups[job] = BeamGroup(job, first, params, self._tokenizer)

    def forget(self, job: Job) -> None:
        """Remove a job that ended; does nothing for a job without a search."""
        self._groups.pop(job, None)

    def launch(
        self, beams: list[tuple[Job, Sequence]], logits: Tensor, readback: Readback
    ) -> LaunchedBeams | None:
        """Start finding the best tokens after each beam.

        logits: raw, [n, vocab_size], one row for each of `beams`. Returns None if there are none.
        """
        if not beams:
            return None
        sampling_states = [job.states[sequence].sampling for job, sequence in beams]
        num_candidates = max(self._groups[job].num_candidates for job, _ in beams)
        candidates = launch_apart(
            lambda rows: self._sampler.launch_candidates(
                logits[rows], sampling_states[rows], num_candidates, readback
            ),
            len(beams),
        )
        return LaunchedBeams(beams, candidates)

    def collect(self, launched: LaunchedBeams, batch_size: int) -> Iterator[JobResult]:
        """Yield the searches that end here, each with all events of its sequences, or with its error.

        Call it after `Readback.read`. Jobs that are over are skipped, as in `SamplingStage`.
        """
        rows = chain.from_iterable(map(self._results, launched.candidates))
        for (job, sequence), candidates in zip(launched.beams, rows, strict=True):
            if job.is_over:
                continue
            try:
                if events := self._follow(job, sequence, candidates, batch_size):
                    yield job, events
            except Exception as error:  # as in `SamplingStage`
                yield job, failure(error)

    def _results(
        self, candidates: LaunchedCandidates | GenerationFailed
    ) -> list[list[Candidate] | GenerationFailed]:
        if isinstance(candidates, GenerationFailed):
            return [candidates]
        return candidates.results(self._tokenizer)

    def _follow(
        self, job: Job, sequence: Sequence, candidates: list[Candidate] | GenerationFailed, batch_size: int
    ) -> list[TokenEvent]:
        """Advance the search if all its beams are computed, and return its events if it has ended."""
        if isinstance(candidates, GenerationFailed):
            raise candidates
        group = self._groups[job]
        if not group.take(sequence, candidates) or group.advance(self._scheduler):
            return []
        return group.events(self._scheduler, self._tokenizer, self._device, batch_size)
