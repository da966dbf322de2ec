"""The synchronous core of the engine: a step schedules, runs the model, samples, and returns the results."""

import logging
import time
from typing import TYPE_CHECKING

import torch

from engine.attention.batch import build_batch
from engine.core.ahead import Ahead, can_follow, go_on, with_unseen
from engine.core.job import Job
from engine.core.job_table import AnyJob, JobTable, Output
from engine.core.launched_step import LaunchedStep
from engine.core.runner import Runner
from engine.core.stages.beam_stage import BeamStage
from engine.core.stages.draft_stage import Draft, DraftStage
from engine.core.stages.embedding_job import EmbeddingJob
from engine.core.stages.embedding_stage import EmbeddingStage
from engine.core.stages.next_tokens import NextTokens, find_ends
from engine.core.stages.prompt_logprobs import find_prompt_rows, launch_prompt_scores
from engine.core.stages.sampling_stage import SamplingStage
from engine.grammar.compiler import CompiledGrammar
from engine.grammar.mask_thread import MaskThread
from engine.host.limited_log import LimitedLog
from engine.port.info.adapter import Adapter, UsedAdapters
from engine.port.info.stats import Counters, EngineStats, StepCounters
from engine.port.request import EmbeddingRequest, GenerationRequest, Pooling
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.request_tables import RequestTables
from engine.sampling.sampler import Sampler
from engine.scheduling.block_keys import Tags, request_tags
from engine.scheduling.schedule import Schedule
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence
from engine.speculation.speculator import Speculator

if TYPE_CHECKING:
    from engine.kv_events.publisher import KVEventPublisher  # it needs a library that few have

_log = logging.getLogger(__name__)

_MAX_FAILED_IN_ROW = 3


class EngineCore:
    """Runs requests to their end by continuous batching. Only one thread may use it.

    A request ends in one last event for each of its sequences, or in one error; nothing follows.
    """

    def __init__(
        self,
        runner: Runner,
        scheduler: Scheduler,
        sampler: Sampler,
        tokenizer: Tokenizer,
        *,
        cache_tags: Tags = (),
        jump_forward: bool = True,
        speculator: Speculator | None = None,
        publisher: "KVEventPublisher | None" = None,
        runs_ahead: bool = False,
    ) -> None:
        """Start without requests.

        cache_tags: the facts on which all keys and values in the cache depend, such as the model.
        jump_forward: whether tokens forced by a grammar skip the forward pass.
        speculator: the source of drafts; None to compute token by token.
        publisher: the publisher of changes of the prefix cache, already started; None publishes nothing.
        runs_ahead: whether `step` launches the next step before it collects one, where `can_follow` allows
            it. Not with a speculator, recurrent states, or an `original_context`.
        """
        self.scheduler = scheduler
        self.counters = Counters()
        self._runner = runner
        self.tokenizer = tokenizer
        self._cache_tags = cache_tags
        self._draft_stage = DraftStage(speculator, self.counters.drafts)
        self._beam_stage = BeamStage(scheduler, sampler, tokenizer, runner.device)
        sampling = SamplingStage(
            scheduler, sampler, tokenizer, runner.device, self._draft_stage, jump_forward=jump_forward
        )
        self._next_tokens = NextTokens(sampling, self._beam_stage)
        self._mask_thread = MaskThread()
        self._embedding_stage = EmbeddingStage()
        self._jobs = JobTable(
            scheduler, runner, self.counters, beams=self._beam_stage, embeddings=self._embedding_stage
        )
        self._publisher = publisher
        self._runs_ahead = runs_ahead
        self._launched: list[LaunchedStep] = []  # and not collected
        self._num_failed_in_row = 0
        self._failed_steps = LimitedLog(_log)
        self._progressed_at = 0.0  # when a step last ended, or a request came where none was

    @property
    def device(self) -> torch.device:
        """The device that logits are on."""
        return self._runner.device

    @property
    def runner(self) -> Runner:
        """The model, as it was given."""
        return self._runner

    @property
    def is_failing(self) -> bool:
        """True if several steps in a row failed, so that the model or its device is broken."""
        return self._num_failed_in_row >= _MAX_FAILED_IN_ROW

    def stats(self) -> EngineStats:
        """Return the current numbers. Any thread may call this."""
        scheduler = self.scheduler
        return EngineStats(
            num_running=len(scheduler.running),
            num_waiting=len(scheduler.waiting),
            num_blocks=scheduler.pool.num_blocks,
            num_free_blocks=scheduler.pool.num_free,
            num_idle_blocks=scheduler.pool.cache.num_idle,
            stalled_s=time.perf_counter() - self._progressed_at if self.has_work else 0.0,
            kv_events=self._publisher.counters() if self._publisher else None,
            counters=self.counters.copy(),
        )

    def used_adapters(self) -> UsedAdapters:
        """Return the adapters of all requests. Any thread may call this."""
        return self.scheduler.used_adapters()

    @property
    def has_work(self) -> bool:
        return len(self._jobs) > 0 or len(self._launched) > 0

    def add(
        self,
        arrival: int,
        request: GenerationRequest,
        grammar: CompiledGrammar | None = None,
        *,
        submitted_at: float = 0.0,
        tables: RequestTables | None = None,
        adapter: Adapter | None = None,
    ) -> None:
        """Add a request that fits the pool. Raises InvalidRequest for sampling parameters it cannot honour.

        arrival: a number that no other request ever had; of equal priorities, the lower runs first.
        submitted_at: the time of submission, in seconds of `time.perf_counter`.
        tables: the request's tables, if they were already made in another thread.
        adapter: the loaded adapter that the request names; None if it names none.
        """
        job = Job(request, arrival, submitted_at, grammar, tables=tables)
        job.num_begun = job.num_initial_sequences
        sequence = self.scheduler.new_sequence(
            order=(request.priority, arrival, 0),
            prompt=request.prompt,
            num_siblings=job.num_initial_sequences - 1,
            tags=self._tags(request, adapter),
            adapter=adapter,
            reads_cache=job.reads_cache,
        )
        state = job.begin(sequence, self.tokenizer, self._runner.device)
        if request.beams:
            self._beam_stage.begin(job, state, request.beams)
        self._begin(sequence)
        self._jobs.add(job)

    def embed(
        self,
        arrival: int,
        request: EmbeddingRequest,
        *,
        submitted_at: float = 0.0,
        adapter: Adapter | None = None,
    ) -> None:
        """Add an embedding request that fits the pool; arguments as in `add`."""
        sequence = self.scheduler.new_sequence(
            order=(request.priority, arrival, 0),
            prompt=request.prompt,
            tags=self._tags(request, adapter),
            adapter=adapter,
            reads_cache=request.pooling is Pooling.LAST,
        )
        self._begin(sequence)
        self._jobs.add(EmbeddingJob(request, arrival, submitted_at, sequence))

    def _tags(self, request: GenerationRequest | EmbeddingRequest, adapter: Adapter | None) -> Tags:
        """Return all that the keys and values of a request depend on, in addition to its tokens."""
        assert request.adapter == (adapter and adapter.name), "the adapter is not the one asked for"
        return self._cache_tags + request_tags(request) + (() if adapter is None else adapter.tags)

    def _begin(self, sequence: Sequence) -> None:
        if not self.has_work:
            self._progressed_at = time.perf_counter()
        self.scheduler.add(sequence)
        self.counters.num_requests += 1

    def abort(self, arrival: int) -> None:
        """Remove a request and free its blocks; unknown and ended ones are ignored."""
        if job := self._jobs.find(arrival):
            self._jobs.drop(job)
            self.counters.num_aborted += 1

    def step(self) -> list[Output]:
        """Compute the next batch, or wait for it where it was launched ahead.

        If the model fails, the requests of this batch fail, and no others. Where the options of one request
        make its sampling fail, it fails alone.
        """
        launched = self._launched[0] if self._launched else self.launch()
        if launched is None:
            return []
        if self._runs_ahead and can_follow(launched):
            self.launch(after=launched)
        return self.collect(launched)

    def launch(self, after: LaunchedStep | None = None) -> LaunchedStep | None:
        """Schedule the next batch and start computing it on the device; None if there is nothing to compute.

        Nothing here waits for the device. Requests may come and be aborted before the step is collected. No
        other step may be launched before that, but one that `can_follow` the only one: after.
        """
        assert self._launched == ([] if after is None else [after]), "a step before has not been collected"
        started = time.perf_counter()
        ahead = None if after is None else go_on(after)
        drafts = self._draft_stage.propose(self.scheduler.running, self._jobs.generating)
        schedule = self.scheduler.schedule({sequence: draft.token_ids for sequence, draft in drafts.items()})
        if not schedule.entries:
            return None
        self._note_start(schedule, started)
        step = LaunchedStep(schedule, self._counters_of(schedule), started)
        self._launched.append(step)
        try:
            self._launch(step, drafts, ahead)
        except Exception as error:  # whatever the model raises, the other requests go on
            step.error = error
        return step

    def collect(self, step: LaunchedStep) -> list[Output]:
        """Read from the device what the step computed, all at once, and return the results.

        Steps are collected in the order in which they were launched.
        """
        assert self._launched[0] is step
        del self._launched[0]
        schedule, outputs = step.schedule, list[Output]()
        started_at = max(step.started_at, self._progressed_at)  # it waited for the one before it
        try:
            self._collect(step, outputs)
            now = time.perf_counter()
            step.counters.count(now - started_at, step.forward_s, now - max(started_at, step.computed_at))
            self._num_failed_in_row = 0
            if step.counters is self.counters.decode_steps:
                self._draft_stage.observe_step(schedule.num_rows, now - started_at)
        except Exception:  # as in `launch`
            self._failed_steps.error("a step of %d sequences failed", len(schedule.entries), exc_info=True)
            step.counters.count_failed()
            self._num_failed_in_row += 1
            self.scheduler.abandon(schedule)
            outputs += self._jobs.fail_step(schedule)
        self._progressed_at = time.perf_counter()
        self.counters.count_step(
            num_sequences=len(schedule.entries),
            num_tokens=schedule.num_rows,
            num_preempted=schedule.num_preempted,
            seconds=self._progressed_at - started_at,
        )
        if self._publisher is not None:
            self._publisher.publish()
        return outputs

    def close(self) -> None:
        """End the threads that fill grammar masks and publish KV events; no step may follow."""
        self._mask_thread.close()
        if self._publisher is not None:
            self._publisher.close()

    def _launch(self, step: LaunchedStep, drafts: dict[Sequence, Draft], ahead: Ahead | None) -> None:
        runner, schedule, readback = self._runner, step.schedule, step.readback
        if schedule.block_copies:
            runner.copy_blocks(schedule.block_copies)
        if schedule.state_copies:
            runner.copy_states(schedule.state_copies)
        if schedule.released_states:
            runner.release_states(schedule.released_states)
        batch = build_batch(schedule.entries, runner.block_size, schedule.drafts, schedule.snapshots)
        if ahead is not None:
            batch = with_unseen(batch, ahead)
        ends = list(find_ends(batch, self._jobs.generating, drafts))
        end_rows = [row for end in ends for row in end.rows]
        prompt_rows = find_prompt_rows(batch, self._jobs.generating)
        grammars = [
            grammar
            for end in ends
            for state in end.sampling_states
            if (grammar := state.grammar_mask) is not None
        ]
        began = time.perf_counter()
        with self._mask_thread.filling(grammars):
            logits = runner.run(batch, end_rows + [row.row for row in prompt_rows])
        step.computed_at = time.perf_counter()
        step.forward_s = step.computed_at - began
        step.failed_media = runner.failed_media
        self.scheduler.complete(schedule)
        step.prompt_scores = launch_prompt_scores(prompt_rows, logits[len(end_rows) :], readback)
        step.embeddings = self._embedding_stage.launch(batch, runner, readback)
        step.tokens = self._next_tokens.launch(ends, logits[: len(end_rows)], readback)
        readback.pack()

    def _collect(self, step: LaunchedStep, outputs: list[Output]) -> None:
        """Add results to `outputs` one by one, so that an exception fails only requests without a result."""
        if step.error is not None:
            raise step.error
        step.readback.read()
        if step.failed_media:  # before others' results, which leave out what is over
            outputs += self._jobs.fail_media(step.schedule, step.failed_media)
        batch_size = len(step.schedule.entries)
        if step.prompt_scores is not None:
            self._jobs.take(step.prompt_scores.keep(self.tokenizer), outputs)
        if step.embeddings is not None:
            self._jobs.take_embeddings(step.embeddings.results(), outputs)
        if step.tokens is not None:
            self._jobs.take(self._next_tokens.collect(step.tokens, batch_size), outputs)

    def _note_start(self, schedule: Schedule, now: float) -> None:
        for entry in schedule.entries:
            job = self._jobs.find(entry.sequence.arrival)
            if job and job.started_at is None:
                job.start(now, num_cached_tokens=entry.start)
                self.counters.queue_s.observe(now - job.submitted_at)
                self._count_prompt(job)
            elif isinstance(job, Job) and not entry.sequence.has_unseen:
                job.states[entry.sequence].begin_step(now)

    def _count_prompt(self, job: AnyJob) -> None:
        num_tokens = len(job.request.prompt.token_ids)
        self.counters.num_prompt_tokens += num_tokens
        self.counters.num_cache_queried_tokens += num_tokens if job.reads_cache else 0
        self.counters.num_cache_hit_tokens += job.num_cached_tokens

    def _counters_of(self, schedule: Schedule) -> StepCounters:
        is_prefill = any(entry.computes_prompt for entry in schedule.entries)
        return self.counters.prefill_steps if is_prefill else self.counters.decode_steps
