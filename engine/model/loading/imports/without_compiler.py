"""A process that loads torch's compiler only once something is compiled, which in a server nothing is.

transformers marks functions for the compiler when it is imported, and torch does where it makes a model
without weights. Each mark loads `torch._dynamo`, and with it `torch._inductor` and Triton;
transformers loads what distributes a model over processes as well. Together that is nearly half of the
processor time that a start takes, and a quarter of the memory.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from typing_extensions import override

_COMPILER: Final = "torch._dynamo"


def leave_out_compiler() -> None:
    """Put a stand-in for the compiler in its place, and let torch say that this process is one alone.

    Does nothing once transformers' models or the compiler are loaded.
    """
    if _COMPILER in sys.modules or "transformers.modeling_utils" in sys.modules:
        return
    import torch

    sys.modules[_COMPILER] = _StandIn(Path(torch.__file__).with_name("_dynamo"))
    torch.distributed.is_available = lambda: False


class _StandIn(ModuleType):
    """The compiler's marks, which mean nothing where nothing is compiled; all else is the compiler's own.

    The first use of anything else loads the compiler. What was marked before stays unmarked for it.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(_COMPILER)
        self.__path__ = [str(folder)]  # its modules can be imported without it
        self.allow_in_graph = self.assume_constant_result = self.disable = _unmarked

    @override
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(_COMPILER) is self:
            for module in [key for key in sys.modules if f"{key}.".startswith(f"{_COMPILER}.")]:
                del sys.modules[module]
        return getattr(import_module(_COMPILER), name)


def _unmarked(function: Callable[..., Any] | None = None, *_: object, **__: object) -> Any:
    """Return a function as it is, whether it is given now or to what this returns."""
    return _unmarked if function is None else function
