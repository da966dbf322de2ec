"""An empty torchvision, with which modules of transformers can be imported to try some of their functions."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from transformers.utils.import_utils import is_torchvision_available

_NAMES = (
    "torchvision",
    "torchvision.transforms",
    "torchvision.transforms.v2",
    "torchvision.transforms.v2.functional",
)


@contextmanager
def empty_torchvision(imported: str) -> Iterator[None]:
    """Stand for torchvision, and forget afterwards the modules that were imported with it.

    imported: a part of their names.
    """
    if is_torchvision_available():  # which would ask the empty one, if it did not remember its answer
        yield
        return
    missing = [name for name in _NAMES if name not in sys.modules]
    known = set(sys.modules)
    for name in missing:
        sys.modules[name] = ModuleType(name)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, sys.modules[name])
    yield
    for name in set(sys.modules) - known:
        if name in missing or imported in name:
            del sys.modules[name]
