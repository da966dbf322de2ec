"""The engine's synchronous heart: one step schedules, runs the model, samples and tells what came of it."""

import logging
import time
from typing import NamedTuple

import torch
from torch import Tensor

from engine.batch import build_batch
from engine.beam_group import BeamGroup
from engine.beam_stage import BeamStage
from engine.block_keys import Tags
from engine.embedding_job import EmbeddingJob
from engine.embedding_stage import EmbeddingStage
from engine.errors import EngineError, GenerationFailed
from engine.events import Embedding, TokenEvent
from engine.generation import Generation, Job
from engine.grammar import CompiledGrammar
from engine.model_runner import ModelRunner
from engine.prompt_rows import find_prompt_rows, keep_prompt_logprobs
from engine.request import EmbeddingRequest, GenerationRequest, Pooling
from engine.sampler import Sampled, Sampler
from engine.scheduler import Schedule, Scheduler
from engine.sequence import Sequence
from engine.stats import Counters, EngineStats
from engine.tokenizer import Tokenizer

_log = logging.getLogger(__name__)

_MAX_FAILED_IN_ROW = 3


class Output(NamedTuple):
    """What a step has to tell the request of that arrival: a token, its vector, or its error."""

    arrival: int
    event: TokenEvent | Embedding | EngineError


class EngineCore:
    """Runs requests to their end, many at a time. Used by one thread.

    A request ends in one terminal event for each of its sequences, or in one error. Nothing follows.
    """

    def __init__(
        self,
        runner: ModelRunner,
        scheduler: Scheduler,
        sampler: Sampler,
        tokenizer: Tokenizer,
        *,
        cache_tags: Tags = (),
    ) -> None:
        """cache_tags: what all keys and values in the cache depend on, so the model."""
        self.scheduler = scheduler
        self.counters = Counters()
        self._runner = runner
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._cache_tags = cache_tags
        self._beam_stage = BeamStage(scheduler, sampler, tokenizer, runner.device)
        self._embedding_stage = EmbeddingStage()
        self._jobs: dict[int, Job] = {}  # by arrival; embeddings are in their stage
        self._num_failed_in_row = 0

    @property
    def is_failing(self) -> bool:
        """Whether the model or its device is broken, rather than some request."""
        return self._num_failed_in_row >= _MAX_FAILED_IN_ROW

    def stats(self) -> EngineStats:
        """May be called from any thread."""
        scheduler = self.scheduler
        return EngineStats(
            num_running=len(scheduler.running),
            num_waiting=len(scheduler.waiting),
            num_blocks=scheduler.pool.num_blocks,
            num_free_blocks=scheduler.pool.num_free,
            counters=self.counters,
        )

    @property
    def has_work(self) -> bool:
        return bool(self._jobs or self._embedding_stage.jobs)

    def add(
        self,
        arrival: int,
        request: GenerationRequest,
        grammar: CompiledGrammar | None = None,
        *,
        submitted_at: float = 0.0,
    ) -> None:
        """Takes a request that fits the pool. Raises InvalidRequest for what its sampling cannot honour.

        arrival: a number that no other request ever had; of equal priority, the lower runs first.
        submitted_at: seconds of `time.perf_counter`.
        """
        job = Job(request, arrival, submitted_at, grammar)
        sequence = self.scheduler.new_sequence(
            order=(request.priority, arrival, 0),
            prompt_token_ids=request.prompt_token_ids,
            num_siblings=(request.beams.num_beams if request.beams else request.num_sequences) - 1,
            tags=self._cache_tags + _cache_tags(request),
            reads_cache=job.reads_cache,
        )
        generation = job.begin(sequence, self._tokenizer, self._runner.device)
        if request.beams:
            job.beams = BeamGroup(job, generation, request.beams, self._tokenizer)
        self._jobs[arrival] = job
        self.scheduler.add(sequence)
        self.counters.num_requests += 1

    def embed(self, arrival: int, request: EmbeddingRequest, *, submitted_at: float = 0.0) -> None:
        """Takes a request that fits the pool; arguments as of `add`."""
        sequence = self.scheduler.new_sequence(
            order=(request.priority, arrival, 0),
            prompt_token_ids=request.prompt_token_ids,
            tags=self._cache_tags + _cache_tags(request),
            reads_cache=request.pooling is Pooling.LAST,
        )
        self._embedding_stage.jobs[arrival] = EmbeddingJob(request, arrival, submitted_at, sequence)
        self.scheduler.add(sequence)
        self.counters.num_requests += 1

    def abort(self, arrival: int) -> None:
        """Forgets a request and frees its blocks; unknown and ended ones are passed over."""
        if job := self._find(arrival):
            self._drop(job)
            self.counters.num_aborted += 1

    def step(self) -> list[Output]:
        """Computes the next batch. If model or sampler fail, so do this batch's requests, and no others."""
        started = time.perf_counter()
        schedule = self.scheduler.schedule()
        if not schedule.works:
            return []
        self._note_start(schedule, started)
        try:
            outputs = self._run(schedule)
            self._num_failed_in_row = 0
        except Exception as error:  # whatever the model raises, the other requests go on
            _log.exception("a step of %d sequences failed", len(schedule.works))
            self.counters.num_failed_steps += 1
            self._num_failed_in_row += 1
            outputs = self._fail_step(schedule, error)
        self._count_step(schedule, time.perf_counter() - started)
        return outputs

    def _run(self, schedule: Schedule) -> list[Output]:
        pages = self._runner.pages
        if schedule.block_copies:
            pages.copy(schedule.block_copies)
        batch = build_batch(schedule.works, pages.block_size, self._runner.device)
        ends = [
            (work.sequence, span.row + span.num_tokens - 1)
            for work, span in zip(batch.works, batch.spans, strict=True)
            if work.reaches_end and work.sequence.arrival in self._jobs
        ]
        prompt_rows = find_prompt_rows(batch, self._jobs)
        logits = self._runner.run(batch, [row for _, row in ends] + [row.row for row in prompt_rows])
        self.scheduler.complete(schedule)
        keep_prompt_logprobs(prompt_rows, logits[len(ends) :])
        embedded = self._embedding_stage.pool(batch, self._runner.hidden_states.rows)
        outputs = self._choose([sequence for sequence, _ in ends], logits[: len(ends)], len(schedule.works))
        return outputs + [self._finish_embedding(job, told) for job, told in embedded]

    def _finish_embedding(self, job: EmbeddingJob, told: Embedding | GenerationFailed) -> Output:
        if isinstance(told, GenerationFailed):
            return self._fail(job, told)
        self._drop(job)
        self.counters.num_embedded += 1
        return Output(job.arrival, told)

    def _choose(self, sequences: list[Sequence], logits: Tensor, batch_size: int) -> list[Output]:
        """Beams are searched, all other sequences sampled."""
        searched = [row for row, one in enumerate(sequences) if self._jobs[one.arrival].beams]
        if not searched:
            return self._sample(sequences, logits, batch_size)
        sampled = [row for row, one in enumerate(sequences) if not self._jobs[one.arrival].beams]
        outputs = self._sample([sequences[row] for row in sampled], logits[sampled], batch_size)
        return outputs + self._search([sequences[row] for row in searched], logits[searched], batch_size)

    def _search(self, sequences: list[Sequence], logits: Tensor, batch_size: int) -> list[Output]:
        beams = [(self._jobs[sequence.arrival], sequence) for sequence in sequences]
        outputs: list[Output] = []
        for job, told in self._beam_stage.run(beams, logits, batch_size):
            if isinstance(told, GenerationFailed):
                outputs.append(self._fail(job, told))
                continue
            del self._jobs[job.arrival]
            outputs += [Output(job.arrival, event) for event in told]
            self.counters.num_generated_tokens += len(told)
            for reason in (event.finish.value for event in told if event.finish):
                self._count_finish(reason)
        return outputs

    def _sample(self, sequences: list[Sequence], logits: Tensor, batch_size: int) -> list[Output]:
        """Gives each sequence its next token; siblings that begin here draw from the same row of logits."""
        families = [self._fork(sequence) for sequence in sequences]
        generations = [generation for family in families for generation in family]
        if not generations:
            return []
        if len(generations) > len(families):
            sizes = torch.tensor([len(family) for family in families], device=logits.device)
            logits = logits.repeat_interleave(sizes, dim=0)
        samples = self._sampler.sample(logits, [generation.sampling for generation in generations])
        return [
            output
            for generation, sampled in zip(generations, samples, strict=True)
            for output in self._publish(generation, sampled, batch_size)
        ]

    def _fork(self, sequence: Sequence) -> list[Generation]:
        """The sequence's generation, and those of its siblings, which begin here."""
        job = self._jobs[sequence.arrival]
        family = [job.generations[sequence]]
        while sequence.num_siblings:
            child = self.scheduler.fork(sequence, index=len(family))
            family.append(job.begin(child, self._tokenizer, self._runner.device))
        return family

    def _publish(
        self, generation: Generation, sampled: Sampled | GenerationFailed, batch_size: int
    ) -> list[Output]:
        job = generation.job
        if job.arrival not in self._jobs:
            return []  # a sibling failed in this step, and the request with it
        if isinstance(sampled, GenerationFailed):
            return [self._fail(job, sampled)]
        try:
            event = generation.accept(
                sampled, self._tokenizer, batch_size=batch_size, now=time.perf_counter()
            )
        except GenerationFailed as error:
            return [self._fail(job, error)]
        self.counters.num_generated_tokens += 1
        if event.finish is not None:
            self._finish(generation, event.finish.value)
        return [Output(job.arrival, event)]

    def _finish(self, generation: Generation, reason: str) -> None:
        job = generation.job
        self.scheduler.remove(generation.sequence)
        del job.generations[generation.sequence]
        if not job.generations:
            del self._jobs[job.arrival]
        self._count_finish(reason)

    def _count_finish(self, reason: str) -> None:
        self.counters.num_finished[reason] = self.counters.num_finished.get(reason, 0) + 1

    def _fail_step(self, schedule: Schedule, error: Exception) -> list[Output]:
        arrivals = dict.fromkeys(work.sequence.arrival for work in schedule.works)
        jobs = [job for arrival in arrivals if (job := self._find(arrival))]
        return [self._fail(job, GenerationFailed(f"{type(error).__name__}: {error}")) for job in jobs]

    def _fail(self, job: Job | EmbeddingJob, error: GenerationFailed) -> Output:
        for sequence in job.sequences:
            if blocks := self.scheduler.discard(sequence):
                self._runner.pages.clear(blocks)
        self._forget(job.arrival)
        self.counters.num_failed += 1
        return Output(job.arrival, error)

    def _drop(self, job: Job | EmbeddingJob) -> None:
        for sequence in job.sequences:
            self.scheduler.remove(sequence)
        self._forget(job.arrival)

    def _find(self, arrival: int) -> Job | EmbeddingJob | None:
        return self._jobs.get(arrival) or self._embedding_stage.jobs.get(arrival)

    def _forget(self, arrival: int) -> None:
        del (self._jobs if arrival in self._jobs else self._embedding_stage.jobs)[arrival]

    def _note_start(self, schedule: Schedule, now: float) -> None:
        for work in schedule.works:
            job = self._find(work.sequence.arrival)
            if job and job.started_at is None:
                job.start(now, num_cached_tokens=work.start)
                self._count_prompt(job)

    def _count_prompt(self, job: Job | EmbeddingJob) -> None:
        num_tokens = len(job.request.prompt_token_ids)
        self.counters.num_prompt_tokens += num_tokens
        self.counters.num_cache_queried_tokens += num_tokens if job.reads_cache else 0
        self.counters.num_cache_hit_tokens += job.num_cached_tokens

    def _count_step(self, schedule: Schedule, seconds: float) -> None:
        counters = self.counters
        counters.num_steps += 1
        counters.num_computed_tokens += sum(work.end - work.start for work in schedule.works)
        counters.num_preemptions += schedule.num_preempted
        counters.step_s += seconds
        counters.last_step_s = seconds
        counters.last_batch_size = len(schedule.works)


def _cache_tags(request: GenerationRequest | EmbeddingRequest) -> Tags:
    """What, besides model and tokens, a request shares its blocks by."""
    tags = {"adapter": request.adapter, "salt": request.cache_salt}
    return tuple((kind, value) for kind, value in tags.items() if value is not None)
