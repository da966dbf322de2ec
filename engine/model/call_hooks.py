"""Hooks that observe the calls of a model's modules."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def observed(modules: Iterable[nn.Module], note: Callable[..., None]) -> Iterator[None]:
    """Call `note` after each call of these modules within the block.

    It is given the module, its positional arguments, its keyword arguments and its result.
    """
    handles = [module.register_forward_hook(note, with_kwargs=True) for module in modules]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
