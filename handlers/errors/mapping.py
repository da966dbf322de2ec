"""Errors as the problems that a contract answers with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

ToProblem: TypeAlias = Callable[[Exception], Exception]
"""The contract's Problem for an exception, or the exception itself where the contract has none for it."""


@contextmanager
def mapped_errors(to_problem: ToProblem) -> Iterator[None]:
    """Raise an error of the block as the contract's problem, if it has one, and else as it is."""
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
        # The traceback has this frame. What it held would keep itself, and what a client has sent, until the
        # garbage collector comes.
        del problem, error
