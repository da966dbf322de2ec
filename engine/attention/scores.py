"""The parameters by which an attention module turns products of queries and keys into weights."""

from typing import NamedTuple

from torch import Tensor


class Scores(NamedTuple):
    """The parameters of one attention module. scaling: the factor of the products.

    softcap: if given, scores become softcap * tanh(scores / softcap) (Gemma 2, arXiv 2408.00118, section 2).
    sinks: [num_heads], a learned score that takes weight and gives no value (gpt-oss, arXiv 2508.10925,
        section 2.2).
    """

    scaling: float
    softcap: float | None
    sinks: Tensor | None

    def dense_sinks(self) -> Tensor | None:
        """Return the sinks as compiled code takes them: float32 and contiguous."""
        return None if self.sinks is None else self.sinks.float().contiguous()
