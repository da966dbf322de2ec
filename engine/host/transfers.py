"""Values between the host and the device, moved so that a step waits for the device once.

Reading a tensor of a GPU, whole or a single number of it, makes the host wait until the device has done all
that was asked of it. So whoever computes a step's results leaves them with a `Readback`, and decides on the
host only what the host knows. Uploads go through pinned memory, which nobody waits for.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

import numpy as np
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


class PackedTensors:
    """Tensors that lie in one piece of a device's memory, which one copy fills."""

    def __init__(self, arrays: Sequence[NDArray[Any]], device: torch.device) -> None:
        """Make room for arrays of these shapes and types, filled with them."""
        ends = list(accumulate(-(-array.nbytes // _ALIGNMENT) * _ALIGNMENT for array in arrays))
        self._places = [
            slice(start, start + one.nbytes) for start, one in zip([0, *ends], arrays, strict=False)
        ]
        self._memory = torch.empty(ends[-1], dtype=torch.uint8, device=device)
        self.tensors = [
            self._memory[place].view(_TORCH_TYPES[array.dtype]).view(array.shape)
            for place, array in zip(self._places, arrays, strict=True)
        ]
        self.fill(arrays)

    def fill(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Copy arrays of the same shapes and types to the device."""
        packed = np.zeros(len(self._memory), np.uint8)
        for place, array in zip(self._places, arrays, strict=True):
            packed[place] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        host = torch.from_numpy(packed)
        if self._memory.is_cuda:
            host = host.pin_memory()
        self._memory.copy_(host, non_blocking=True)


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
        self._arriving: Arriving | None = None

    def want(self, tensor: Tensor) -> DeviceValue:
        """Take a tensor of any shape, of a type that numpy has; nothing may change it any more."""
        value = DeviceValue(tensor)
        self._values.append(value)
        return value

    def pack(self) -> None:
        """Have the device copy all tensors to the host in one piece; none is wanted after that.

        The largest numbers come first, so that all of them are aligned.
        """
        if self._values and not is_on_host(self._values[0].tensor):
            self._values.sort(key=lambda value: -value.tensor.itemsize)
            self._arriving = fetch(
                torch.cat([value.tensor.contiguous().view(-1).view(torch.uint8) for value in self._values])
            )

    def read(self) -> None:
        """Wait for this copy, for nothing that was launched after it, and give every value its numbers."""
        if self._arriving is None:
            for value in self._values:
                value.set_array(value.tensor.numpy())
            return
        packed, start = self._arriving.wait(), 0
        for value in self._values:
            end = start + value.tensor.nbytes
            array = packed[start:end].view(_NUMPY_TYPES[value.tensor.dtype])
            value.set_array(array.reshape(value.tensor.shape))
            start = end


class Arriving(NamedTuple):
    """A tensor that a device is copying to the host. arrived: None if the copy is done."""

    tensor: Tensor
    arrived: torch.cuda.Event | None

    def wait(self) -> NDArray[np.uint8]:
        if self.arrived is not None:
            self.arrived.synchronize()
        return self.tensor.numpy()


def fetch(tensor: Tensor) -> Arriving:
    """Begin to copy a tensor of bytes to pinned memory of the host, without waiting."""
    if tensor.device.type != "cuda":
        return Arriving(tensor.cpu(), None)
    host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    host.copy_(tensor, non_blocking=True)
    arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]  # torch leaves it untyped
    arrived.record(torch.cuda.current_stream(tensor.device))
    return Arriving(host, arrived)


_ALIGNMENT: Final = 128  # in bytes

_NUMPY_TYPES = {
    dtype: torch.empty(0, dtype=dtype).numpy().dtype
    for dtype in (torch.int64, torch.float64, torch.int32, torch.float32, torch.bool)
}
_TORCH_TYPES = {numpy_type: dtype for dtype, numpy_type in _NUMPY_TYPES.items()}
