"""The rows of a batch whose logits tell how likely a prompt's tokens were."""

from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from engine.batch import Batch
from engine.generation import Job
from engine.logprobs import prompt_logprobs


class PromptRow(NamedTuple):
    """A row of the batch that tells the log-probability of a job's next prompt token."""

    job: Job
    row: int
    next_token_id: int


def find_prompt_rows(batch: Batch, jobs: Mapping[int, Job]) -> list[PromptRow]:
    """The rows that prompt log-probabilities are asked of and not yet known. jobs: by arrival."""
    rows = []
    for work, span in zip(batch.works, batch.spans, strict=True):
        job = jobs.get(work.sequence.arrival)  # not there: the request is no generation
        if job and job.request.sampling.prompt_logprobs and work.sequence.index == 0:
            prompt = job.request.prompt_token_ids
            first = max(work.start, len(job.prompt_logprobs))
            rows += [
                PromptRow(job, span.row + position - work.start, prompt[position + 1])
                for position in range(first, min(work.end, len(prompt) - 1))
            ]
    return rows


def keep_prompt_logprobs(rows: list[PromptRow], logits: Tensor) -> None:
    """Adds to their jobs what the logits [len(rows), v] say."""
    if not rows:
        return
    targets = torch.tensor([row.next_token_id for row in rows], device=logits.device)
    for row, logprob in zip(rows, prompt_logprobs(logits, targets).tolist(), strict=True):
        row.job.prompt_logprobs.append(logprob)
