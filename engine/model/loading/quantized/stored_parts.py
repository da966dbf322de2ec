"""The stored tensors of a quantized checkpoint, taken by the weights that they become."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NoReturn

from engine.model.loading.checkpoint.stored_tensors import StoredTensor
from engine.port.errors import ModelNotSupported

FLOATS = ("F16", "BF16", "F32")


class StoredParts:
    """The headers of a checkpoint's tensors, of which a format takes those that it knows."""

    def __init__(self, directory: Path, tensors: Mapping[str, StoredTensor]) -> None:
        self.directory = directory
        self.left = dict(tensors)

    def before(self, suffix: str) -> list[str]:
        """Return what stands before this suffix in the names of all tensors that have it, sorted."""
        return sorted(name.removesuffix(suffix) for name in self.left if name.endswith(suffix))

    def take(
        self, name: str, dtypes: Collection[str] = FLOATS, shape: tuple[int, ...] | None = None
    ) -> tuple[int, ...]:
        """Take a tensor, and return its shape.

        Raises ModelNotSupported if there is none, or one of another type or shape.
        """
        tensor = self.left.pop(name, None)
        if tensor is None:
            raise ModelNotSupported(
                f"the weights in {self.directory} lack {name}, without which nothing can be unpacked from "
                "those next to it"
            )
        if tensor.dtype not in dtypes:
            self.refuse(f"{name} is of {tensor.dtype}, which should be {' or '.join(dtypes)}")
        if shape is not None and tensor.shape != shape:
            self.refuse(f"{name} is {list(tensor.shape)}, which should be {list(shape)}")
        if 0 in tensor.shape:
            self.refuse(f"{name} is {list(tensor.shape)}, which is empty")
        return tensor.shape

    def take_matrix(self, name: str, dtypes: Collection[str]) -> tuple[int, int]:
        """Take a tensor of two dimensions, and return them. Raises ModelNotSupported."""
        shape = self.take(name, dtypes)
        if len(shape) != 2:
            self.refuse(f"{name} is {list(shape)}, which should have two dimensions")
        return shape[0], shape[1]

    def drop(self, *names: str) -> None:
        """Leave out tensors that weights alone do not need, such as the scales of activations."""
        for name in names:
            self.left.pop(name, None)

    def refuse(self, reason: str) -> NoReturn:
        """Raise ModelNotSupported for headers that do not go together."""
        raise ModelNotSupported(f"the weights in {self.directory} are not as their format says: {reason}")


def num_groups(num_inputs: int, group_size: int) -> int:
    """Return the number of groups of a row, of which the last may be shorter."""
    return -(-num_inputs // group_size)
