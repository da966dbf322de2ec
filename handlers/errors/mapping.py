"""Mapping of exceptions to the HTTP errors of a contract."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

ToProblem: TypeAlias = Callable[[Exception], Exception]
"""Return the contract's Problem for an exception, or the exception itself if there is none."""


@contextmanager
def mapped_errors(to_problem: ToProblem) -> Iterator[None]:
    """Convert exceptions of the block to the contract's problems; those without one are raised unchanged."""
    try:
        yield
    except Exception as error:
        raise_as_problem(error, to_problem)
        raise


def raise_as_problem(error: Exception, to_problem: ToProblem) -> None:
    """Raise the contract's problem for an error; return if it has none."""
    problem = to_problem(error)
    try:
        if problem is not error:
            raise problem from error
    finally:
        # The traceback refers to this frame. Its references would form a cycle that keeps the client's
        # request in memory until the garbage collector runs.
        del problem, error
