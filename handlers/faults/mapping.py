"""Failures in a contract's words."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Told: TypeAlias = Callable[[Exception], Exception]
"""The contract's Problem for an exception, or the exception itself if nobody raised it on purpose."""


@contextmanager
def telling(told: Told) -> Iterator[None]:
    """What fails in the block is raised as the contract tells of it."""
    try:
        yield
    except Exception as error:
        tell(error, told)
        raise


def tell(error: Exception, told: Told) -> None:
    """Raises what the contract tells of an exception; returns where that is the exception itself."""
    problem = told(error)
    if problem is not error:
        raise problem from error
