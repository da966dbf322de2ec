"""A contract's mapping of exceptions to HTTP statuses, error codes and messages."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engine.port.errors import NotCapable
from handlers.concurrency.limit import retry_after_s
from verbatim_kit.errors import Refused, Violation
from verbatim_kit.runtime.problem import Problem


class ErrorKind(NamedTuple):
    """The HTTP error for exceptions of one class.

    code: the contract's code for the error, `Problem.kind`.
    message: a message that replaces the exception's own.
    prefix: a text before the message.
    field: the field that the error names, for exceptions without one.
    retry_after_s: seconds after which the client may retry.
    """

    status: int
    code: str = ""
    prefix: str = ""
    message: str | None = None
    field: str = ""
    retry_after_s: float | None = None


class ErrorTable:
    """The errors of a contract by class of exception."""

    def __init__(
        self,
        kinds: Mapping[type[Exception], ErrorKind],
        text: Callable[[Exception], str] = str,
        fields: Mapping[str, str] = {},
    ) -> None:
        """Create a table.

        kinds: the kinds by class; the first class that an exception is an instance of is used. text: returns
        the message of an exception whose kind has no message. fields: the contract's names for fields that an
        engine may not support (`NotCapable.parameter`), where they differ.
        """
        self._kinds = kinds
        self._text = text
        self._fields = fields

    def to_problem(self, error: Exception) -> Exception:
        """Return the contract's Problem for an error, or the error itself if the table has no entry."""
        kind = next((kind for cause, kind in self._kinds.items() if isinstance(error, cause)), None)
        if kind is None:
            return error
        if isinstance(error, NotCapable):
            return self._not_capable(error, kind)
        refused = error if isinstance(error, Refused) else None
        return Problem(
            kind.status,
            kind.prefix + (kind.message or self._text(error)),
            kind.code,
            field=refused.field if refused else kind.field,
            violation=refused.violation if refused else None,
            retry_after_s=retry_after_s(error, kind.retry_after_s),
        )

    def _not_capable(self, error: NotCapable, kind: ErrorKind) -> Problem:
        """Return the problem of a field that the server's engine does not support."""
        field = self._fields.get(error.parameter, error.parameter)
        message = f"{kind.prefix}`{field}` is not supported by the engine of this server"
        return Problem(kind.status, message, kind.code, field=field, violation=Violation.UNSUPPORTED_FIELD)
