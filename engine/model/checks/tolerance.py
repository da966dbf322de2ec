"""The differences that rounding may make between a computation and what replaces it."""

from typing import Final, NamedTuple

import torch


class Tolerance(NamedTuple):
    """The largest relative difference that counts as rounding.

    exact: of arithmetic in float32. rounded: where inputs are rounded to 16 or 8 bits, by their dtype or by
    quantized layers, since a difference in the last place may then change the nearest number.
    """

    exact: float
    rounded: float

    def for_dtype(self, dtype: torch.dtype, *, is_quantized: bool = False) -> float:
        """Return the largest difference for arithmetic in this dtype."""
        return self.exact if dtype == torch.float32 and not is_quantized else self.rounded


LINEAR: Final = Tolerance(exact=1e-5, rounded=1e-2)
"""For the outputs of one linear layer, whose sums may be taken in another order."""

LAYER: Final = Tolerance(exact=1e-5, rounded=2e-2)
"""For the outputs of one decoder layer: a 16-bit layer rounds about ten times, and an 8-bit one the inputs of
four linear layers.
"""

LOGITS: Final = Tolerance(exact=1e-3, rounded=0.2)
"""For the logits of a whole model. Wrong arithmetic gives about 0.5, 16-bit rounding up to about 0.05, and
8-bit layers 0.005 over 24 layers.
"""

SAME_OPERATIONS: Final = Tolerance(exact=2e-2, rounded=2e-2)
"""For the logits of a model whose layers compute the same operations, in another call."""
