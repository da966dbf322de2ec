"""The table of running jobs, which counts their results and frees the blocks of those that end."""

import logging
from collections.abc import Iterable, Set
from typing import NamedTuple

from engine.core.job import Job, JobResult
from engine.core.runner import Runner
from engine.core.stages.beam_stage import BeamStage
from engine.core.stages.embedding_job import EmbeddingJob
from engine.core.stages.embedding_stage import EmbeddingStage
from engine.host.limited_log import LimitedLog
from engine.port.errors import EngineError, GenerationFailed, NoTokenLeft
from engine.port.events import Embedding, TokenEvent
from engine.port.info.stats import Counters
from engine.scheduling.schedule import Schedule
from engine.scheduling.scheduler import Scheduler

_log = logging.getLogger(__name__)

AnyJob = Job | EmbeddingJob


class Output(NamedTuple):
    """One result of a step for the request with this arrival: a token, its vector, or its error."""

    arrival: int
    event: TokenEvent | Embedding | EngineError


class JobTable:
    """The running jobs. generating: the jobs that generate tokens, by arrival; the others are embeddings."""

    def __init__(
        self,
        scheduler: Scheduler,
        runner: Runner,
        counters: Counters,
        *,
        beams: BeamStage,
        embeddings: EmbeddingStage,
    ) -> None:
        self.generating: dict[int, Job] = {}
        self._embeddings = embeddings
        self._scheduler = scheduler
        self._runner = runner
        self._counters = counters
        self._beams = beams
        self._failures = LimitedLog(_log)

    def __len__(self) -> int:
        return len(self.generating) + len(self._embeddings.jobs)

    def find(self, arrival: int) -> AnyJob | None:
        return self.generating.get(arrival) or self._embeddings.jobs.get(arrival)

    def add(self, job: AnyJob) -> None:
        """Add a job, whose sequences the scheduler has."""
        if isinstance(job, EmbeddingJob):
            self._embeddings.begin(job)
        else:
            self.generating[job.arrival] = job

    def take(self, results: Iterable[JobResult], outputs: list[Output]) -> None:
        """Add the results to the outputs, count them, and forget the jobs that ended."""
        for job, result in results:
            if isinstance(result, GenerationFailed):
                outputs.append(self._fail_alone(job, result))
                continue
            outputs += [Output(job.arrival, event) for event in result]
            for event in result:
                self._counters.count_token(event)
            if not job.states:
                self._forget(job)

    def take_embeddings(
        self, results: Iterable[tuple[EmbeddingJob, Embedding | GenerationFailed]], outputs: list[Output]
    ) -> None:
        """Add the vectors to the outputs, count them, and forget their jobs, which they end."""
        for job, result in results:
            if isinstance(result, GenerationFailed):
                outputs.append(self._fail_alone(job, result))
                continue
            self.drop(job)
            self._counters.num_embedded += 1
            outputs.append(Output(job.arrival, result))

    def fail_step(self, schedule: Schedule) -> list[Output]:
        """Fail all jobs of the step.

        The exception is not passed on, since it may name paths; the log has it.
        """
        arrivals = dict.fromkeys(entry.sequence.arrival for entry in schedule.entries)
        jobs = [job for arrival in arrivals if (job := self.find(arrival))]
        return [self._fail(job, GenerationFailed("the model failed")) for job in jobs]

    def fail_media(self, schedule: Schedule, digests: Set[bytes]) -> list[Output]:
        """Fail the jobs of which the step computed tokens of media with these digests; the others go on."""
        failed: dict[int, GenerationFailed] = {}
        for sequence, start, end in schedule.entries:
            for index, one in enumerate(sequence.media):
                if one.digest in digests and one.position < end and one.end > start:
                    failed[sequence.arrival] = GenerationFailed(
                        f"the model failed to encode media item {index}"
                    )
        return [
            self._fail_alone(job, error) for arrival, error in failed.items() if (job := self.find(arrival))
        ]

    def _fail_alone(self, job: AnyJob, error: GenerationFailed) -> Output:
        """Fail one job while others of its step continue."""
        if not isinstance(error, NoTokenLeft):  # the request itself excludes every token
            self._failures.error("request %r failed: %s", job.request.request_id, error)
        return self._fail(job, error)

    def _fail(self, job: AnyJob, error: GenerationFailed) -> Output:
        """Fail a job, and clear its blocks, which may hold wrong numbers."""
        for sequence in job.sequences:
            if blocks := self._scheduler.discard(sequence):
                self._runner.clear_blocks(blocks)
        self._forget(job)
        self._counters.num_failed += 1
        return Output(job.arrival, error)

    def drop(self, job: AnyJob) -> None:
        """Forget a job, whatever its state, and free its blocks."""
        for sequence in job.sequences:
            self._scheduler.remove(sequence)
        self._forget(job)

    def _forget(self, job: AnyJob) -> None:
        job.is_over = True
        if isinstance(job, EmbeddingJob):
            self._embeddings.forget(job)
        else:
            del self.generating[job.arrival]
            self._beams.forget(job)
        if not len(self) and (slots := self._scheduler.take_idle_states()):
            self._runner.release_states(slots)  # no step may follow for long
