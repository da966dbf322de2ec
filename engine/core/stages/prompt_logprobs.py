"""The log-probabilities of prompt tokens, computed from the rows of a batch."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor

from engine.attention.batch import Batch
from engine.core.job import Job, JobResult
from engine.core.stages.isolation import launch_apart
from engine.host.transfers import Readback, upload
from engine.port.errors import GenerationFailed
from engine.port.events import PromptToken, TokenLogprob
from engine.port.text.tokenizer import Tokenizer
from engine.sampling.logprobs import ScoredTokens


class PromptRow(NamedTuple):
    """A row of the batch whose logits give the log-probability of the job's next prompt token."""

    job: Job
    row: int
    next_token_id: int


def find_prompt_rows(batch: Batch, jobs: Mapping[int, Job]) -> list[PromptRow]:
    """Return the rows whose prompt log-probabilities are requested and not yet computed.

    jobs: the jobs that generate tokens, by arrival.
    """
    rows = []
    for entry, span in zip(batch.entries, batch.spans, strict=True):
        job = jobs.get(entry.sequence.arrival)  # None for an embedding request
        if job and job.request.sampling.num_prompt_logprobs is not None and entry.sequence.index == 0:
            prompt = job.request.prompt.token_ids
            first = max(entry.start, len(job.prompt_scores))
            rows += [
                PromptRow(job, span.row + position - entry.start, prompt[position + 1])
                for position in range(first, min(entry.end, len(prompt) - 1))
            ]
    return rows


class LaunchedPromptScores(NamedTuple):
    """The log-probabilities of prompt rows that the device is computing, together or row by row."""

    rows: list[PromptRow]
    scored: list[ScoredTokens | GenerationFailed]

    def keep(self, tokenizer: Tokenizer) -> Iterator[JobResult]:
        """Add the log-probabilities to their jobs, and yield the jobs whose options raised.

        Call it after `Readback.read`.
        """
        scores: Iterator[GenerationFailed | tuple[float, tuple[TokenLogprob, ...]]] = chain.from_iterable(
            [scored] if isinstance(scored, GenerationFailed) else scored.scores(tokenizer)
            for scored in self.scored
        )
        for row, score in zip(self.rows, scores, strict=True):
            if row.job.is_over:
                continue
            if isinstance(score, GenerationFailed):
                yield row.job, score
                continue
            text = tokenizer.token_text(row.next_token_id)
            logprob, top_logprobs = score
            row.job.prompt_scores.append(PromptToken(row.next_token_id, text, logprob, top_logprobs))


def launch_prompt_scores(
    rows: list[PromptRow], logits: Tensor, readback: Readback
) -> LaunchedPromptScores | None:
    """Start computing log-probabilities from the rows' logits [len(rows), vocab_size]; None without rows."""
    if not rows:
        return None
    token_ids = upload([row.next_token_id for row in rows], logits.device, torch.int64)
    num_ranked = [row.job.request.sampling.num_prompt_logprobs or 0 for row in rows]
    named = [row.job.request.sampling.prompt_logprob_token_ids for row in rows]
    scored = launch_apart(
        lambda part: ScoredTokens(logits[part], token_ids[part], num_ranked[part], readback, named[part]),
        len(rows),
    )
    return LaunchedPromptScores(rows, scored)
