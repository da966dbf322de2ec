"""The engine's synchronous heart: one step schedules, runs the model, samples and tells what came of it."""

import logging
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torch import Tensor

from engine.batch import Batch, build_batch
from engine.beam_stage import BeamStage
from engine.block_keys import Tags
from engine.embedding_job import EmbeddingJob
from engine.embedding_stage import EmbeddingStage
from engine.errors import EngineError, GenerationFailed
from engine.events import Embedding, TokenEvent
from engine.generation import Job
from engine.grammar import CompiledGrammar
from engine.grammar_state import GrammarState
from engine.mask_thread import MaskThread
from engine.model_runner import ModelRunner
from engine.prompt_rows import find_prompt_rows, keep_prompt_scores
from engine.request import EmbeddingRequest, GenerationRequest, Pooling
from engine.sampler import Sampler
from engine.sampling_stage import SamplingStage
from engine.schedule import Schedule
from engine.scheduler import Scheduler
from engine.sequence import Sequence
from engine.stats import Counters, EngineStats, StepCounters
from engine.tokenizer import Tokenizer

_log = logging.getLogger(__name__)

_MAX_FAILED_IN_ROW = 3

News = tuple[Job, list[TokenEvent] | GenerationFailed]


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
        jump_forward: bool = True,
    ) -> None:
        """cache_tags: what all keys and values in the cache depend on, so the model.

        jump_forward: as of EngineConfig.
        """
        self.scheduler = scheduler
        self.counters = Counters()
        self._runner = runner
        self._tokenizer = tokenizer
        self._cache_tags = cache_tags
        self._sampling_stage = SamplingStage(
            scheduler, sampler, tokenizer, runner.device, jump_forward=jump_forward
        )
        self._mask_thread = MaskThread()
        self._beam_stage = BeamStage(scheduler, sampler, tokenizer, runner.device)
        self._embedding_stage = EmbeddingStage()
        self._jobs: dict[int, Job] = {}  # by arrival; embeddings are in their stage
        self._num_failed_in_row = 0
        self._progressed_at = 0.0  # when a step last ended, or work came where none was

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
            num_idle_blocks=scheduler.pool.cache.num_idle,
            stalled_s=time.perf_counter() - self._progressed_at if self.has_work else 0.0,
            counters=self.counters.copy(),
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
            self._beam_stage.begin(job, generation, request.beams)
        self._begin(sequence)
        self._jobs[arrival] = job

    def embed(self, arrival: int, request: EmbeddingRequest, *, submitted_at: float = 0.0) -> None:
        """Takes a request that fits the pool; arguments as of `add`."""
        sequence = self.scheduler.new_sequence(
            order=(request.priority, arrival, 0),
            prompt_token_ids=request.prompt_token_ids,
            tags=self._cache_tags + _cache_tags(request),
            reads_cache=request.pooling is Pooling.LAST,
        )
        self._begin(sequence)
        self._embedding_stage.jobs[arrival] = EmbeddingJob(request, arrival, submitted_at, sequence)

    def _begin(self, sequence: Sequence) -> None:
        if not self.has_work:
            self._progressed_at = time.perf_counter()
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
        counters = self._counters_of(schedule)
        outputs: list[Output] = []
        try:
            forward_s, choose_s = self._run(schedule, outputs)
            counters.count(time.perf_counter() - started, forward_s, choose_s)
            self._num_failed_in_row = 0
        except Exception as error:  # whatever the model raises, the other requests go on
            _log.exception("a step of %d sequences failed", len(schedule.works))
            counters.count_failed()
            self._num_failed_in_row += 1
            outputs += self._fail_step(schedule, error)
        self._progressed_at = time.perf_counter()
        self.counters.count_step(
            num_sequences=len(schedule.works),
            num_tokens=sum(work.end - work.start for work in schedule.works),
            num_preempted=schedule.num_preempted,
            seconds=self._progressed_at - started,
        )
        return outputs

    def _run(self, schedule: Schedule, outputs: list[Output]) -> tuple[float, float]:
        """Adds to `outputs` what it has to tell, as soon as it is certain: what raises then fails the others.

        Returns the seconds that the model took, and the choice of what follows.
        """
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
        started = time.perf_counter()
        with self._mask_thread.filling(self._grammars(sequence for sequence, _ in ends)):
            logits = self._runner.run(batch, [row for _, row in ends] + [row.row for row in prompt_rows])
        computed = time.perf_counter()
        self.scheduler.complete(schedule)
        keep_prompt_scores(prompt_rows, logits[len(ends) :], self._tokenizer)
        outputs += self._tell_embeddings(batch)
        news = self._choose([sequence for sequence, _ in ends], logits[: len(ends)], len(schedule.works))
        self._tell(news, outputs)
        return computed - started, time.perf_counter() - computed

    def _grammars(self, sequences: Iterable[Sequence]) -> Iterator[GrammarState]:
        for sequence in sequences:
            grammar = self._jobs[sequence.arrival].generations[sequence].sampling.grammar
            if grammar is not None:
                yield grammar

    def _choose(self, sequences: list[Sequence], logits: Tensor, batch_size: int) -> Iterator[News]:
        """Beams are searched, all other sequences sampled."""
        ends = [(self._jobs[sequence.arrival], sequence) for sequence in sequences]
        searched = [row for row, (job, _) in enumerate(ends) if job.request.beams]
        if not searched:
            yield from self._sampling_stage.run(ends, logits, batch_size)
            return
        sampled = [row for row, (job, _) in enumerate(ends) if not job.request.beams]
        yield from self._sampling_stage.run([ends[row] for row in sampled], logits[sampled], batch_size)
        yield from self._beam_stage.run([ends[row] for row in searched], logits[searched], batch_size)

    def _tell(self, news: Iterable[News], outputs: list[Output]) -> None:
        """Counts what became of the jobs, and forgets those that ended."""
        for job, told in news:
            if isinstance(told, GenerationFailed):
                outputs.append(self._fail(job, told))
                continue
            outputs += [Output(job.arrival, event) for event in told]
            self.counters.num_generated_tokens += len(told)
            for event in told:
                if event.finish is not None:
                    self._count_finish(event.finish.value)
            if not job.generations:
                self._forget(job)

    def _tell_embeddings(self, batch: Batch) -> Iterator[Output]:
        for job, told in self._embedding_stage.run(batch, self._runner.hidden_states.rows):
            if isinstance(told, GenerationFailed):
                yield self._fail(job, told)
                continue
            self._drop(job)
            self.counters.num_embedded += 1
            yield Output(job.arrival, told)

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
        self._forget(job)
        self.counters.num_failed += 1
        return Output(job.arrival, error)

    def _drop(self, job: Job | EmbeddingJob) -> None:
        for sequence in job.sequences:
            self.scheduler.remove(sequence)
        self._forget(job)

    def _find(self, arrival: int) -> Job | EmbeddingJob | None:
        return self._jobs.get(arrival) or self._embedding_stage.jobs.get(arrival)

    def _forget(self, job: Job | EmbeddingJob) -> None:
        if isinstance(job, EmbeddingJob):
            del self._embedding_stage.jobs[job.arrival]
        else:
            del self._jobs[job.arrival]
            self._beam_stage.forget(job)

    def _note_start(self, schedule: Schedule, now: float) -> None:
        for work in schedule.works:
            job = self._find(work.sequence.arrival)
            if job and job.started_at is None:
                job.start(now, num_cached_tokens=work.start)
                self.counters.queue_s.observe(now - job.submitted_at)
                self._count_prompt(job)

    def _count_prompt(self, job: Job | EmbeddingJob) -> None:
        num_tokens = len(job.request.prompt_token_ids)
        self.counters.num_prompt_tokens += num_tokens
        self.counters.num_cache_queried_tokens += num_tokens if job.reads_cache else 0
        self.counters.num_cache_hit_tokens += job.num_cached_tokens

    def _counters_of(self, schedule: Schedule) -> StepCounters:
        is_prefill = any(work.computes_prompt for work in schedule.works)
        return self.counters.prefill_steps if is_prefill else self.counters.decode_steps


def _cache_tags(request: GenerationRequest | EmbeddingRequest) -> Tags:
    """What, besides model and tokens, a request shares its blocks by."""
    tags = {"adapter": request.adapter, "salt": request.cache_salt}
    return tuple((kind, value) for kind, value in tags.items() if value is not None)
