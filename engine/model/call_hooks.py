"""Modules that are observed while a model computes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def observed(modules: Iterable[nn.Module], note: Callable[..., None]) -> Iterator[None]:
    """Within, each call of these is told after it: module, arguments without names, with names, result."""
    handles = [module.register_forward_hook(note, with_kwargs=True) for module in modules]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
