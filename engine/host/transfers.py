"""Values between the host and the device, moved so that a step waits for the device once.

Reading a tensor of a GPU, whole or a single number of it, makes the host wait until the device has done all
that was asked of it. So whoever computes a step's results leaves them with a `Readback`, and decides on the
host only what the host knows. Uploads go through pinned memory, which nobody waits for.
"""

from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor


def is_on_host(tensor: Tensor) -> bool:
    """Return whether the tensor can be read without waiting for a device."""
    return tensor.is_cpu


def upload(values: Sequence[Any], device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
    """Return a tensor of these numbers, or sequences of numbers, on the device."""
    return send(torch.tensor(values, dtype=dtype), device)


def send(tensor: Tensor, device: torch.device) -> Tensor:
    """Return the host's tensor itself on a CPU; elsewhere a copy, whatever becomes of the host's."""
    if device.type == "cpu":
        return tensor
    if device.type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


class DeviceValue:
    """A tensor that the host is going to read."""

    __slots__ = ("_array", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self._array: NDArray[Any] | None = None

    @property
    def array(self) -> NDArray[Any]:
        """Its numbers, once its readback was read."""
        assert self._array is not None, "nothing has been read yet"
        return self._array

    def set_array(self, array: NDArray[Any]) -> None:
        self._array = array


class Readback:
    """The tensors of a step that the host wants, brought to it by one copy."""

    def __init__(self) -> None:
        self._values: list[DeviceValue] = []
        self._packed: Tensor | None = None

    def want(self, tensor: Tensor) -> DeviceValue:
        """Take a tensor of any shape, of a type that numpy has; nothing may change it any more."""
        value = DeviceValue(tensor)
        self._values.append(value)
        return value

    def pack(self) -> None:
        """Have the device lay all tensors into one piece of memory; none is wanted after that.

        The largest numbers come first, so that all of them are aligned.
        """
        if self._values and not is_on_host(self._values[0].tensor):
            self._values.sort(key=lambda value: -value.tensor.itemsize)
            self._packed = torch.cat(
                [value.tensor.contiguous().view(-1).view(torch.uint8) for value in self._values]
            )

    def read(self) -> None:
        """Wait for the device, once, and give every value its numbers."""
        if self._packed is None:
            for value in self._values:
                value.set_array(value.tensor.numpy())
            return
        packed, start = self._packed.cpu().numpy(), 0
        for value in self._values:
            end = start + value.tensor.nbytes
            array = packed[start:end].view(_NUMPY_TYPES[value.tensor.dtype])
            value.set_array(array.reshape(value.tensor.shape))
            start = end


_NUMPY_TYPES = {
    dtype: torch.empty(0, dtype=dtype).numpy().dtype
    for dtype in (torch.int64, torch.float64, torch.int32, torch.float32, torch.bool)
}
