"""A linear layer's weight that is still in a checkpoint's files, in groups of integers."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import torch
from torch import Tensor

from engine.weights.grouped_weight import GroupedWeight, GroupForm


class NotGrouped(Exception):
    """The error for a weight whose contents are no groups of a form that is multiplied; says why."""


class UnreadWeight(ABC):
    """A weight [num_outputs, num_inputs] of which shape and form are known before it is read.

    form: as headers and descriptions say; contents may be of a form that has less, such as no mins.
    """

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """The numbers of outputs and inputs."""

    @property
    @abstractmethod
    def form(self) -> GroupForm:
        """The form of its groups."""

    def read_input_groups(self) -> Tensor | None:
        """Return the group of each input, [num_inputs], where a checkpoint lists them; None elsewhere.

        Weights whose lists are the same have the same order as `GroupedWeight`, so that they can be merged.
        """
        return None

    @abstractmethod
    def read_groups(self) -> GroupedWeight:
        """Return the weight. Raises NotGrouped, and ModelNotSupported for contents that none can have."""

    @abstractmethod
    def read_plain(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight, rounded once. Raises ModelNotSupported as `read_groups` does."""

    def plain_blocks(self) -> Iterator[Tensor]:
        """Yield the plain weight as float32 [n, num_inputs], some outputs at a time or all at once."""
        yield self.read_plain(torch.float32)

    def plain_sample(self) -> Iterator[tuple[int, Tensor]]:
        """Yield outputs from all over the plain weight, the first and the last among them.

        Each part is the index of its first output, and float32 [n, num_inputs].
        """
        first = 0
        for block in self.plain_blocks():
            yield first, block
            first += len(block)
