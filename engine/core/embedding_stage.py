"""The part of a step that embedding requests take in place of sampling."""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.attention.batch import Batch
from engine.core.embedding_job import EmbeddingJob
from engine.core.unit_vector import unit_vector
from engine.errors import GenerationFailed, NotFinite
from engine.events import Embedding


class EmbeddingStage:
    """Pools the hidden states of the embedding requests that a step computed. jobs: by arrival."""

    def __init__(self) -> None:
        self.jobs: dict[int, EmbeddingJob] = {}

    @torch.inference_mode()
    def run(self, batch: Batch, hidden: Tensor) -> list[tuple[EmbeddingJob, Embedding | GenerationFailed]]:
        """What becomes of the requests whose last token was in the batch.

        hidden: [num_tokens, hidden_size], of the batch's rows.
        """
        ended = list(self._take(batch, hidden)) if self.jobs else []
        if not ended:
            return []
        vectors = torch.stack([job.pooled() for job in ended]).cpu().numpy()  # one copy from the device
        return [(job, _tell(job, vector)) for job, vector in zip(ended, vectors, strict=True)]

    def _take(self, batch: Batch, hidden: Tensor) -> Iterator[EmbeddingJob]:
        for work, span in zip(batch.works, batch.spans, strict=True):
            if job := self.jobs.get(work.sequence.arrival):
                job.take(hidden[span.row : span.row + span.num_tokens], work.start)
                if work.reaches_end:
                    yield job


def _tell(job: EmbeddingJob, vector: NDArray[np.float32]) -> Embedding | GenerationFailed:
    if not np.isfinite(vector).all():
        return NotFinite("the model gave hidden states that are not finite")
    assert job.started_at is not None
    return Embedding(
        request_id=job.request.request_id,
        vector=unit_vector(vector) if job.request.normalize else vector,
        num_prompt_tokens=job.sequence.num_tokens,
        num_cached_tokens=job.num_cached_tokens,
        queue_s=job.started_at - job.submitted_at,
    )
