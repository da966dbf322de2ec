"""A measure of the memory that tensors take at the same time, on any device, as a GPU's allocator has it."""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from typing_extensions import override


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """The most bytes of storages that operations made within the mode, and that lived together.

    device_type: of the storages that count. has_given: whether those count too that operations are given,
    once they are.
    """

    def __init__(self, device_type: str, *, has_given: bool = False) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        self.most: int = 0
        self._device_type = device_type
        self._has_given = has_given
        self._storages: dict[int, tuple[Any, int]] = {}

    @override
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        new_reference: Any = StorageWeakRef  # torch leaves it untyped
        given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        others = set() if self._has_given else {_number(leaf) for leaf in given}
        result = func(*args, **kwargs or {})
        for leaf in given + tree_leaves(result):
            is_counted = isinstance(leaf, Tensor) and leaf.device.type == self._device_type
            if is_counted and (number := _number(leaf)) not in others:
                storage = leaf.untyped_storage()
                self._storages[number] = (new_reference(storage), storage.nbytes())
        self._storages = {number: held for number, held in self._storages.items() if not held[0].expired()}
        self.most = max(self.most, sum(num_bytes for _, num_bytes in self._storages.values()))
        return result


def _number(tensor: Tensor) -> int:
    number: int = tensor.untyped_storage()._cdata
    return number


def peak_on(device_type: str) -> Callable[[Callable[[], object]], int]:
    """Return what runs a computation, and returns the most bytes that its tensors took."""

    def peak_of(compute: Callable[[], object]) -> int:
        with LiveBytes(device_type) as live:
            compute()
        most: int = live.most
        return most

    return peak_of
