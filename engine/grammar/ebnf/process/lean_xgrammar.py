"""The import of xgrammar without torch and transformers, which it only uses in annotations and base classes.

Together they would take four seconds of CPU time and 180 MB, and start threads, with which a process should
not fork. If a later version needs them after all, they are loaded.
"""

import importlib
import os
import sys
from types import ModuleType
from typing import Any

from typing_extensions import override

_NAMED = ("torch", "transformers")
_IS_WHOLE = "--whole"  # a further argument of the program, with which nothing is left out


class _Anything(type):
    """The type of a class all of whose attributes are such classes."""

    def __getattr__(cls, name: str) -> Any:
        return _attribute(name)


class _Stub(ModuleType):
    """A module all of whose attributes are classes that can be derived from and called."""

    @override
    def __getattr__(self, name: str) -> Any:
        return _attribute(name)


def _attribute(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything(name, (), {"__init__": lambda self, *args, **kwargs: None})


def load() -> None:
    """Import xgrammar for this process, which must not have imported any of the three before."""
    if _IS_WHOLE in sys.argv:
        return
    os.environ["TVM_FFI_DISABLE_TORCH_C_DLPACK"] = "1"  # tvm_ffi would ask torch for its version
    sys.modules.update({name: _Stub(name) for name in _NAMED})
    try:
        importlib.import_module("xgrammar")
    except Exception:
        os.execv(sys.executable, [*sys.orig_argv, _IS_WHOLE])
