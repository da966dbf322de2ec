"""A recording of torch's operations that repeats them on the same tensors, as a CUDA graph, on any device."""

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from typing_extensions import override


class Tape(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """The operations of a computation, in order. What Python does between them is not repeated."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        self._calls: list[tuple[Callable[..., Any], Any, dict[str, Any], Any]] = []

    @override
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **kwargs or {})
        self._calls.append((func, args, kwargs or {}, result))
        return result

    def replay(self) -> None:
        """Repeat the operations, and write their results where they were written first."""
        for func, args, kwargs, result in self._calls:
            repeated = tree_leaves(func(*args, **kwargs))
            for old, new in zip(tree_leaves(result), repeated, strict=True):
                if isinstance(old, Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new)


def capture(compute: Callable[[], None]) -> Callable[[], None]:
    """Record a computation on tensors that stay where they are, and return what repeats it."""
    tape = Tape()
    with tape:
        compute()
    return tape.replay
