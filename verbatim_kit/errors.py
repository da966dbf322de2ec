"""Invalid requests, the kinds of them, and exceptions as a contract's own errors."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from typing import TypeAlias


class Violation(Enum):
    """The kind of error in a field or in the body, which contracts map to their own codes."""

    MALFORMED_JSON = auto()
    MALFORMED_FORM = auto()  # a body that is declared as multipart/form-data and is not valid
    INVALID_UTF8 = auto()
    MISSING = auto()  # a required field is missing
    UNKNOWN = auto()  # a field that the document does not have
    REPEATED = auto()  # a parameter that is given more than once
    WRONG_TYPE = auto()
    TOO_SMALL = auto()  # a number
    TOO_LARGE = auto()
    TOO_SHORT = auto()  # a text, an array or an object
    TOO_LONG = auto()
    UNSUPPORTED_VALUE = auto()  # not one of those that the document lists, or that this server has
    UNSUPPORTED_FIELD = auto()  # not supported by this server or its model, except perhaps as null
    INVALID_VALUE = auto()  # any other


class Refused(Exception):
    """A request is invalid because of another field, a limit of the server, or its model.

    message: a sentence for the client. field: the invalid field, such as `messages[0].content`; empty if no
    single field is. violation: the kind of error.
    """

    def __init__(self, message: str, field: str = "", violation: Violation = Violation.INVALID_VALUE) -> None:
        super().__init__(message)
        self.field = field
        self.violation = violation


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
