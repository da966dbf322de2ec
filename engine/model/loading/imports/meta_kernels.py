"""The kernels in Python for tensors without data, which torch imports at its start and a server needs rarely.

torch has kernels in C++ for the shapes of most operations, and replaces them by slower ones in Python, which
bring its decompositions and SymPy along: half a second for the import, and as much for the first weights that
are initialised without data. They are loaded where an operation has no other kernel, or by any import.

torch's decompositions and references can only be imported after them, as torch's own start does.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final, TypeVar

from typing_extensions import override

_MODULE: Final = "torch._meta_registrations"
_IMPORTED_AFTER: Final = frozenset({"torch._decomp", "torch._refs"})

T = TypeVar("T")


@contextmanager
def leave_out_meta_kernels() -> Iterator[None]:
    """Let torch be imported without them within the block. Does nothing if it is imported already."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules[_MODULE] = stand_in = ModuleType(_MODULE)
    try:
        yield
    finally:
        if sys.modules.get(_MODULE) is stand_in:  # so that whatever imports them later gets them
            del sys.modules[_MODULE]
        torch = sys.modules.get("torch")
        if getattr(torch, "_meta_registrations", None) is stand_in:
            del torch._meta_registrations  # type: ignore[union-attr]  # it is there
            sys.meta_path.insert(0, _KernelsFirst())
            _enable_generators()


def _enable_generators() -> None:
    """Do for `torch.Generator` what a module does that the kernels import; without it, none can be made."""
    import torch
    from torch._opaque_base import OpaqueBaseMeta

    torch._C._set_generator_metaclass(OpaqueBaseMeta)


def with_meta_kernels(function: Callable[[], T]) -> T:
    """Return the function's result, at the second call if an operation lacked a kernel at the first."""
    try:
        return function()
    except NotImplementedError:
        if _MODULE in sys.modules:
            raise
    load_meta_kernels()
    return function()


def load_meta_kernels() -> None:
    """Import the kernels that were left out, for passes of a whole model without data."""
    import_module(_MODULE)


class _KernelsFirst(MetaPathFinder, Loader):
    """The importer of what needs the kernels: it imports them, which import the module that was asked for."""

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _MODULE:
            sys.meta_path.remove(self)
        return ModuleSpec(fullname, self) if fullname in _IMPORTED_AFTER else None

    @override
    def exec_module(self, module: ModuleType) -> None:
        del sys.modules[module.__name__]  # the import's result is what stands in its place afterwards
        import_module(_MODULE)
