"""The linear layers whose weights and activations are rounded, computed by compiled code."""

from abc import abstractmethod

from torch import Tensor, nn
from typing_extensions import override

from engine.linear.packed_weight import PackedWeight
from engine.linear.rounded.compiled_weight import CompiledWeight


class RoundedLinear(nn.Module):
    """A replacement of `nn.Linear` for inference on a CPU, with rounded weights and activations.

    rounded: its weight.
    """

    def __init__(self, weight: nn.Linear | PackedWeight | CompiledWeight) -> None:
        """Round and pack a plain layer's weight, or take a packed one."""
        super().__init__()
        if isinstance(weight, nn.Linear):
            self.rounded = self._rounded(weight)
        else:
            self.rounded = self._of_packed(weight) if isinstance(weight, PackedWeight) else weight
        self.in_features, self.out_features = self.packed.num_inputs, self.packed.num_outputs

    @property
    def packed(self) -> PackedWeight:
        """The weight."""
        return self.rounded.packed

    @override
    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs of rows [..., in_features]: [..., out_features] of their dtype."""
        shape = (*rows.shape[:-1], self.out_features)
        if rows.numel() == 0:
            return rows.new_empty(shape)
        return self.rounded.multiply(rows.reshape(-1, self.in_features)).view(shape)

    @classmethod
    @abstractmethod
    def _rounded(cls, linear: nn.Linear) -> CompiledWeight:
        """Return the weight of a plain layer, rounded. Raises ModelNotSupported if it cannot be."""

    @classmethod
    @abstractmethod
    def _of_packed(cls, packed: PackedWeight) -> CompiledWeight:
        """Return a weight that is packed already."""
