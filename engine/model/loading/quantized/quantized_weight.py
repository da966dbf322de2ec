"""A weight that follows from several stored tensors, and the formats that say how."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor

from engine.model.loading.quantized.stored_parts import StoredParts
from engine.model.loading.quantized.tensor_files import TensorFiles
from engine.weights.grouped_weight import GroupedWeight, GroupForm

# The part of a weight that lists the stored group of each of its inputs, where a format has such a list.
INPUT_GROUPS: Final = "g_idx"


class Unpacked(Protocol):
    """The numbers of a weight as its format has them, such as floats and the scales of their blocks."""

    def dense(self, dtype: torch.dtype) -> Tensor:
        """Return the plain weight. Raises Malformed for contents that no quantization gives."""


@runtime_checkable
class UnpackedIntegers(Unpacked, Protocol):
    """The numbers of a weight that are integers in groups."""

    def to_groups(self) -> GroupedWeight:
        """Return the weight with the same integers. Raises NotGrouped, and Malformed as `dense` does."""


Unpack = Callable[[Mapping[str, Tensor]], Unpacked]


class QuantizedWeight(NamedTuple):
    """A weight before it is unpacked.

    name, shape: of the plain weight. parts: the names of its stored tensors, by what they are to the format.
    unpack: takes the contents of the parts apart; raises Malformed as `dense` does. form: of a matrix that
    may stay in groups, and whose numbers are `UnpackedIntegers`; None of others.
    """

    name: str
    shape: tuple[int, ...]
    parts: Mapping[str, str]
    unpack: Unpack
    form: GroupForm | None = None


class Format(ABC):
    """A format of quantized weights, as a quantization_config describes it."""

    @property
    @abstractmethod
    def label(self) -> str:
        """Return the format in words for people, such as "GPTQ of 4 bits in groups of 128"."""

    @abstractmethod
    def weights(self, parts: StoredParts, files: TensorFiles | None) -> Iterator[QuantizedWeight]:
        """Yield the weights, whose stored tensors are taken from the parts.

        files: the contents, for formats that keep shapes in them; None if only headers are known. Raises
        ModelNotSupported for stored tensors that are missing, or of another type or shape.
        """
