"""The table by which a contract maps errors to statuses, codes and messages."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from handlers.concurrency.limit import retry_after_s
from handlers.errors.refused import Refused
from handlers.runtime.problem import Problem


class ErrorKind(NamedTuple):
    """The problem that errors of one class become.

    code: the contract's own name for it, `Problem.kind`. message: in place of the error's own text.
    prefix: text in front of the message. field: the one at fault, for errors that do not know it.
    retry_after_s: when the client may try again.
    """

    status: int
    code: str = ""
    prefix: str = ""
    message: str | None = None
    field: str = ""
    retry_after_s: float | None = None


class ErrorTable:
    """The errors that a contract has a problem for, by class."""

    def __init__(
        self, kinds: Mapping[type[Exception], ErrorKind], text: Callable[[Exception], str] = str
    ) -> None:
        """kinds: the first class that an error is an instance of counts.

        text: writes the message of an error whose kind has none of its own.
        """
        self._kinds = kinds
        self._text = text

    def to_problem(self, error: Exception) -> Exception:
        """Return the contract's Problem for an error, or the error itself where the table has none for it."""
        kind = next((kind for cause, kind in self._kinds.items() if isinstance(error, cause)), None)
        if kind is None:
            return error
        refused = error if isinstance(error, Refused) else None
        return Problem(
            kind.status,
            kind.prefix + (kind.message or self._text(error)),
            kind.code,
            field=refused.field if refused else kind.field,
            violation=refused.violation if refused else None,
            retry_after_s=retry_after_s(error, kind.retry_after_s),
        )
