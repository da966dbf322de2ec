"""The part of a step that drafts tokens before it, and takes the results after it."""

import logging
from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from typing import NamedTuple

from engine.core.job import Job, SequenceState
from engine.host.limited_log import LimitedLog
from engine.port.info.stats import DraftCounters
from engine.sampling.state import SamplingState
from engine.scheduling.sequence import Sequence
from engine.speculation.speculator import Speculator

_failures = LimitedLog(logging.getLogger(__name__))


class Draft(NamedTuple):
    """Tokens that may come next in a sequence, and the state after each, from which the next one is drawn."""

    token_ids: list[int]
    states: list[SamplingState]


class DraftStage:
    """Drafts tokens of the sequences that decode, or none where the speculator is None.

    A beam search does not speculate: its beams fork and end at every token.
    """

    def __init__(self, speculator: Speculator | None, counters: DraftCounters) -> None:
        self._speculator = speculator
        self._counters = counters

    def propose(self, running: SequenceOf[Sequence], jobs: Mapping[int, Job]) -> dict[Sequence, Draft]:
        """Return the drafts for the next step, for each sequence that has one. jobs: all jobs by arrival.

        No sequence needs a draft, so one whose draft cannot be made is computed without; the log has the
        reason.
        """
        speculator = self._speculator
        if speculator is None:
            return {}
        try:
            return self._propose(speculator, running, jobs)
        except Exception:  # a proposer may be anybody's
            _failures.error("drafts of %d sequences cannot be made", len(running), exc_info=True)
            return {}

    def _propose(
        self, speculator: Speculator, running: SequenceOf[Sequence], jobs: Mapping[int, Job]
    ) -> dict[Sequence, Draft]:
        if not speculator.can_draft(len(running)):
            return {}
        states = {sequence: state for sequence in running if (state := _drafting(sequence, jobs)) is not None}
        wanted = [(sequence, state.num_draftable) for sequence, state in states.items()]
        drafts: dict[Sequence, Draft] = {}
        for sequence, token_ids in speculator.draft(wanted).items():
            try:
                ahead = states[sequence].sampling.ahead(token_ids)
            except Exception:  # an option that no contract lets through: its request fails when it is sampled
                _failures.error("a draft cannot be followed", exc_info=True)
                continue
            if ahead:
                drafts[sequence] = Draft(token_ids[: len(ahead)], ahead)
        return drafts

    def record(self, num_drafted: int, num_accepted: int) -> None:
        """Count the result of a draft."""
        self._counters.count(num_drafted, num_accepted)

    def observe_step(self, num_rows: int, seconds: float) -> None:
        """Take the time of a step that decoded and did nothing else."""
        if self._speculator is not None:
            self._speculator.costs.observe(num_rows, seconds)


def _drafting(sequence: Sequence, jobs: Mapping[int, Job]) -> SequenceState | None:
    """Return the state of a sequence that decodes, and whose next tokens are drawn one by one; else None."""
    job = jobs.get(sequence.arrival)  # None for an embedding request
    if job is None or job.request.beams is not None or sequence.num_siblings:
        return None
    is_decoding = sequence.is_decoding and sequence.num_computed >= sequence.num_prompt_tokens
    return job.states[sequence] if is_decoding else None
