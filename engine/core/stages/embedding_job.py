"""The state of a running embedding request."""

from dataclasses import dataclass

from torch import Tensor

from engine.port.request import EmbeddingRequest, Pooling
from engine.scheduling.sequence import Sequence


@dataclass(slots=True, eq=False)
class EmbeddingJob:
    """An embedding request: one sequence, computed to the end of its prompt. Times are monotonic seconds.

    started_at: the start of the first step that computed any of it. num_cached_tokens: set at that time.
    is_over: whether it has ended, or was aborted.
    """

    request: EmbeddingRequest
    arrival: int
    submitted_at: float
    sequence: Sequence
    started_at: float | None = None
    num_cached_tokens: int = 0
    is_over: bool = False
    _sum: Tensor | None = None  # float32 [hidden_size], over the rows taken so far

    @property
    def sequences(self) -> list[Sequence]:
        return [self.sequence]

    @property
    def reads_cache(self) -> bool:
        return self.sequence.reads_cache

    def start(self, now: float, *, num_cached_tokens: int) -> None:
        self.started_at = now
        self.num_cached_tokens = num_cached_tokens

    def take(self, rows: Tensor, start: int) -> None:
        """Add the hidden states [n, hidden_size] of the tokens from `start` on; a start of 0 begins anew."""
        if self.request.pooling is Pooling.LAST:
            rows = rows[-1:]
        total = rows.float().sum(dim=0)
        if self.request.pooling is Pooling.MEAN and start > 0:
            assert self._sum is not None, "rows came before the first"
            total += self._sum
        self._sum = total

    def pooled(self) -> Tensor:
        """Return the pooled vector, float32 [hidden_size], after all rows were taken."""
        assert self._sum is not None, "no rows were taken"
        if self.request.pooling is Pooling.LAST:
            return self._sum
        return self._sum / self.sequence.num_tokens
