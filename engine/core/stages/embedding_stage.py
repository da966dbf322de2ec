"""The part of a step that embedding requests take in place of sampling."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.attention.batch import Batch
from engine.core.runner import Runner
from engine.core.stages.embedding_job import EmbeddingJob
from engine.host.transfers import DeviceValue, Readback
from engine.port.errors import GenerationFailed, NotFinite
from engine.port.events import Embedding


class LaunchedEmbeddings(NamedTuple):
    """The vectors that the device is computing. vectors: float32 [num_jobs, hidden_size]."""

    jobs: list[EmbeddingJob]
    vectors: DeviceValue

    def results(self) -> Iterator[tuple[EmbeddingJob, Embedding | GenerationFailed]]:
        """Yield the vector or the error of each request that was not aborted.

        Call it after `Readback.read`.
        """
        for job, vector in zip(self.jobs, self.vectors.array, strict=True):
            if not job.is_over:
                yield job, _result(job, vector)


class EmbeddingStage:
    """Pools the hidden states of embedding requests that a step computed. jobs: the requests by arrival."""

    def __init__(self) -> None:
        self.jobs: dict[int, EmbeddingJob] = {}

    def begin(self, job: EmbeddingJob) -> None:
        """Pool the hidden states of this request from the next step on."""
        self.jobs[job.arrival] = job

    def forget(self, job: EmbeddingJob) -> None:
        """Forget a request that is over."""
        del self.jobs[job.arrival]

    @torch.inference_mode()
    def launch(self, batch: Batch, runner: Runner, readback: Readback) -> LaunchedEmbeddings | None:
        """Pool the rows of embedding requests; None if the batch completes none of these requests."""
        ended = list(self._take(batch, runner.hidden_states)) if self.jobs else []
        if not ended:
            return None
        return LaunchedEmbeddings(ended, readback.want(torch.stack([job.pooled() for job in ended])))

    def _take(self, batch: Batch, hidden: Tensor) -> Iterator[EmbeddingJob]:
        for entry, span in zip(batch.entries, batch.spans, strict=True):
            if job := self.jobs.get(entry.sequence.arrival):
                job.take(hidden[span.row : span.row + span.num_tokens], entry.start)
                if entry.reaches_end:
                    yield job


def _result(job: EmbeddingJob, vector: NDArray[np.float32]) -> Embedding | GenerationFailed:
    if not np.isfinite(vector).all():
        return NotFinite("the model gave hidden states that are not finite")
    assert job.started_at is not None
    embedding = Embedding(
        request_id=job.request.request_id,
        vector=vector,
        num_prompt_tokens=job.sequence.num_tokens,
        num_cached_tokens=job.num_cached_tokens,
        queue_s=job.started_at - job.submitted_at,
    )
    return embedding.normalized() if job.request.normalize else embedding
