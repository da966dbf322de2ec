"""The beam search of one running request: beams are sequences of the scheduler, events come at the end."""

import time
from collections.abc import Iterator
from copy import copy

import torch
from msgspec.structs import replace

from engine.core.job import Job, SequenceState
from engine.port.errors import GenerationFailed
from engine.port.events import TokenEvent
from engine.port.request import BeamParams
from engine.port.text.sampled import Sampled
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.beam_search import BeamSearch, Candidate, Continuation
from engine.scheduling.scheduler import Scheduler
from engine.scheduling.sequence import Sequence


class BeamGroup:
    """The beams of one search. Each is a sequence, and beams share the blocks of their common prefix.

    If memory is short or the batch full, the beams are computed in different steps. A computed beam is parked
    until the others are; if it loses its blocks meanwhile, its child is computed again from its tokens.
    """

    def __init__(self, job: Job, first: SequenceState, params: BeamParams, tokenizer: Tokenizer) -> None:
        stopping = job.request.stopping
        self._job = job
        self._beams = [first]
        self._ending_ids = frozenset(stopping.stop_token_ids)
        if not stopping.ignore_eos:
            self._ending_ids |= frozenset(tokenizer.end_token_ids)
        self._search = BeamSearch(
            params, max_tokens=stopping.max_tokens, num_end_tokens=len(self._ending_ids)
        )
        self._candidates: dict[Sequence, list[Candidate]] = {}
        self._num_preemptions = 0  # the highest of any beam; a child continues its parent's count
        self._num_begun = 1  # the number of sequences so far, which is the index of the next

    @property
    def num_candidates(self) -> int:
        """The number of candidates for each beam that `take` needs."""
        return self._search.num_candidates

    def take(self, sequence: Sequence, candidates: list[Candidate]) -> bool:
        """Park a computed beam with its candidates, best first. Returns whether all beams are computed."""
        self._candidates[sequence] = candidates
        sequence.is_parked = True
        return len(self._candidates) == len(self._beams)

    def advance(self, scheduler: Scheduler) -> bool:
        """Continue with the best beams and free the others. Returns False if the search is over.

        Raises GenerationFailed if the search ends with fewer hypotheses than the request wants.
        """
        self._num_preemptions = max(beam.sequence.num_preemptions for beam in self._beams)
        continuations = self._search.continuations([self._candidates[beam.sequence] for beam in self._beams])
        self._candidates.clear()
        living = self._search.advance(continuations, [self._completes(one) for one in continuations])
        children = list(self._children(living, scheduler))
        for beam in self._beams:
            if beam not in children:
                scheduler.remove(beam.sequence)
                del self._job.states[beam.sequence]
        self._beams = children
        if not children and len(self._search.hypotheses) < self._job.request.num_sequences:
            raise GenerationFailed(
                "the tokens that are not excluded make fewer hypotheses than were asked for"
            )
        return bool(children)

    def events(
        self, scheduler: Scheduler, tokenizer: Tokenizer, device: torch.device, batch_size: int
    ) -> list[TokenEvent]:
        """Return the events of the finished search, hypothesis by hypothesis, best first."""
        events = []
        request = self._job.request
        for rank, hypothesis in enumerate(self._search.hypotheses[: request.num_sequences]):
            sequence = scheduler.new_sequence(
                order=(request.priority, self._job.arrival, rank), prompt=request.prompt
            )
            sequence.num_preemptions = self._num_preemptions
            state = self._job.begin(sequence, tokenizer, device)
            events += [
                state.accept(
                    Sampled(token.token_id, token.logprob, token.top_logprobs),
                    tokenizer,
                    batch_size=batch_size,
                    now=time.perf_counter(),
                )
                for token in hypothesis.tokens
            ]
            assert events[-1].finish is not None
            events[-1] = replace(events[-1], beam_score=hypothesis.score)
            del self._job.states[sequence]
        return events

    def _completes(self, continuation: Continuation) -> bool:
        token_id = continuation.token.token_id
        if token_id in self._ending_ids:
            return True
        if not self._job.request.stopping.stop:
            return False
        text = self._beams[continuation.beam].output.text.fork()
        return text.append(token_id, is_last=False).stop_match is not None

    def _children(self, living: list[Continuation], scheduler: Scheduler) -> Iterator[SequenceState]:
        """Yield the next beams. A beam becomes its own last child; each child before that is a fork."""
        num_left = [sum(one.beam == beam for one in living) for beam in range(len(self._beams))]
        forks = []
        for one in living:
            num_left[one.beam] -= 1
            parent = self._beams[one.beam]
            forks.append(self._fork(parent, scheduler) if num_left[one.beam] else parent)
        for child, one in zip(forks, living, strict=True):
            self._append(child, one.token.token_id, scheduler)
            yield child

    def _fork(self, parent: SequenceState, scheduler: Scheduler) -> SequenceState:
        parent.sequence.num_siblings = 1
        sequence = scheduler.fork(parent.sequence, index=self._num_begun)
        sequence.num_prompt_tokens = parent.sequence.num_prompt_tokens
        sequence.num_preemptions = parent.sequence.num_preemptions
        self._num_begun += 1
        output = parent.output.fork() if self._job.request.stopping.stop else parent.output
        child = SequenceState(self._job, sequence, parent.sampling.fork(), output, copy(parent.times))
        self._job.states[sequence] = child
        return child

    def _append(self, beam: SequenceState, token_id: int, scheduler: Scheduler) -> None:
        sequence = beam.sequence
        sequence.token_ids.append(token_id)
        beam.sampling.accept(token_id)
        if self._job.request.stopping.stop:
            beam.output.text.append(token_id, is_last=False)
        if sequence.is_parked:
            scheduler.unpark(sequence)
