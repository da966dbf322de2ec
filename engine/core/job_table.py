"""The jobs that run, and how they end: told, counted, and their blocks given back."""

import logging
from collections.abc import Iterable
from typing import NamedTuple

from engine.core.beam_stage import BeamStage
from engine.core.embedding_job import EmbeddingJob
from engine.core.embedding_stage import EmbeddingStage
from engine.core.generation import Job
from engine.core.limited_log import LimitedLog
from engine.core.runner import Runner
from engine.errors import EngineError, GenerationFailed, NoTokenLeft
from engine.events import Embedding, TokenEvent
from engine.scheduling.schedule import Schedule
from engine.scheduling.scheduler import Scheduler
from engine.stats import Counters

_log = logging.getLogger(__name__)

AnyJob = Job | EmbeddingJob
News = tuple[Job, list[TokenEvent] | GenerationFailed]


class Output(NamedTuple):
    """What a step has to tell the request of that arrival: a token, its vector, or its error."""

    arrival: int
    event: TokenEvent | Embedding | EngineError


class JobTable:
    """Jobs by arrival. generating: those that make tokens; the others are the embedding stage's."""

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
        self._embedding = embeddings.jobs
        self._scheduler = scheduler
        self._runner = runner
        self._counters = counters
        self._beams = beams
        self._failures = LimitedLog(_log)

    def __len__(self) -> int:
        return len(self.generating) + len(self._embedding)

    def find(self, arrival: int) -> AnyJob | None:
        return self.generating.get(arrival) or self._embedding.get(arrival)

    def tell(self, news: Iterable[News], outputs: list[Output]) -> None:
        """Adds what became of the jobs, counts it, and forgets those that ended."""
        for job, told in news:
            if isinstance(told, GenerationFailed):
                outputs.append(self._fail_alone(job, told))
                continue
            outputs += [Output(job.arrival, event) for event in told]
            self._counters.num_generated_tokens += len(told)
            for event in told:
                if event.finish is not None:
                    self._counters.count_finish(event.finish.value)
            if not job.generations:
                self._forget(job)

    def tell_embeddings(
        self, news: Iterable[tuple[EmbeddingJob, Embedding | GenerationFailed]], outputs: list[Output]
    ) -> None:
        """The same of vectors, each of which ends its job."""
        for job, told in news:
            if isinstance(told, GenerationFailed):
                outputs.append(self._fail_alone(job, told))
                continue
            self.drop(job)
            self._counters.num_embedded += 1
            outputs.append(Output(job.arrival, told))

    def fail_step(self, schedule: Schedule) -> list[Output]:
        """Ends all jobs that the step computed. What a library raised stays in the log: it may name paths."""
        arrivals = dict.fromkeys(work.sequence.arrival for work in schedule.works)
        jobs = [job for arrival in arrivals if (job := self.find(arrival))]
        return [self._fail(job, GenerationFailed("the model failed")) for job in jobs]

    def _fail_alone(self, job: AnyJob, error: GenerationFailed) -> Output:
        """Ends a job that failed while others of its step went on."""
        if not isinstance(error, NoTokenLeft):  # which is the request's own doing
            self._failures.error("request %r failed: %s", job.request.request_id, error)
        return self._fail(job, error)

    def _fail(self, job: AnyJob, error: GenerationFailed) -> Output:
        """Ends a job whose blocks may hold wrong numbers."""
        for sequence in job.sequences:
            if blocks := self._scheduler.discard(sequence):
                self._runner.clear_blocks(blocks)
        self._forget(job)
        self._counters.num_failed += 1
        return Output(job.arrival, error)

    def drop(self, job: AnyJob) -> None:
        """Forgets a job in whatever state, and frees its blocks."""
        for sequence in job.sequences:
            self._scheduler.remove(sequence)
        self._forget(job)

    def _forget(self, job: AnyJob) -> None:
        if isinstance(job, EmbeddingJob):
            del self._embedding[job.arrival]
        else:
            del self.generating[job.arrival]
            self._beams.forget(job)
