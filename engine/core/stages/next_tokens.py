"""The part of a step that chooses the next tokens, by sampling or by a beam search."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.core.job import Job, JobResult
from engine.core.stages.beam_stage import BeamStage, LaunchedBeams
from engine.core.stages.draft_stage import Draft
from engine.core.stages.sampling_stage import LaunchedSequences, SamplingStage, SequenceEnd
from engine.host.transfers import Readback, upload
from engine.scheduling.sequence import Sequence


class LaunchedTokens(NamedTuple):
    """The next tokens that the device chooses; None where no sequence is sampled, or none searched."""

    sequences: LaunchedSequences | None
    beams: LaunchedBeams | None


class NextTokens:
    """Chooses the next tokens of all sequences whose last row is in a batch."""

    def __init__(self, sampling: SamplingStage, beams: BeamStage) -> None:
        self._sampling = sampling
        self._beams = beams

    def launch(self, ends: list[SequenceEnd], logits: Tensor, readback: Readback) -> LaunchedTokens:
        """Start ranking candidates for beams, and sampling all other sequences.

        logits: raw, [n, vocab_size], the rows of all ends.
        """
        searched = [end for end in ends if end.job.request.beams]
        if not searched:
            return LaunchedTokens(self._sampling.launch(ends, logits, readback), None)
        is_searched = [end.job.request.beams is not None for end in ends for _ in end.rows]
        of_sampled, of_searched = (
            logits[
                upload(
                    [row for row, its in enumerate(is_searched) if its == wanted], logits.device, torch.int64
                )
            ]
            for wanted in (False, True)
        )
        sampled = [end for end in ends if not end.job.request.beams]
        beams = [(end.job, end.sequence) for end in searched]
        return LaunchedTokens(
            self._sampling.launch(sampled, of_sampled, readback),
            self._beams.launch(beams, of_searched, readback),
        )

    def collect(self, launched: LaunchedTokens, batch_size: int) -> Iterator[JobResult]:
        """Return the results of sampled sequences, then those of searches; call it after `Readback.read`.

        A job that is over is skipped, as in both stages.
        """
        sampled = () if launched.sequences is None else self._sampling.collect(launched.sequences, batch_size)
        searched = () if launched.beams is None else self._beams.collect(launched.beams, batch_size)
        return chain(sampled, searched)


def find_ends(
    batch: Batch, jobs: Mapping[int, Job], drafts: Mapping[Sequence, Draft]
) -> Iterator[SequenceEnd]:
    """Yield the sequences whose next tokens a batch gives, with the part of their drafts in it.

    jobs: those that generate, by arrival.
    """
    for entry, span in zip(batch.entries, batch.spans, strict=True):
        sequence = entry.sequence
        job = jobs.get(sequence.arrival)
        if job is None or not entry.reaches_end:
            continue
        last_row = span.row + span.num_tokens - 1
        if (rows := batch.drafted.get(sequence)) is None:
            yield SequenceEnd(job, sequence, [last_row])
        else:
            draft = Draft._make(part[: len(rows)] for part in drafts[sequence])
            yield SequenceEnd(job, sequence, [last_row, *rows], draft)
