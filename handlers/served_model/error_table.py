"""The table by which a contract maps errors to statuses, codes and messages."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engine.port.errors import NotCapable
from handlers.concurrency.limit import retry_after_s
from handlers.errors.refused import Refused
from handlers.errors.violation import Violation
from handlers.runtime.problem import Problem


class ErrorKind(NamedTuple):
    """The problem that errors of one class become.

    code: the contract's own name for it, `Problem.kind`.
    message: a text in place of the error's own.
    prefix: a text in front of the message.
    field: the field at fault, for errors that do not know it.
    retry_after_s: the seconds after which the client may try again.
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
        self,
        kinds: Mapping[type[Exception], ErrorKind],
        text: Callable[[Exception], str] = str,
        fields: Mapping[str, str] = {},
    ) -> None:
        """Keep the tables.

        kinds: the kinds by class, of which the first that an error is an instance of counts.
        text: writes the message of an error whose kind has none of its own.
        fields: the contract's names of fields that an engine may lack (`NotCapable.parameter`), where it has
            others.
        """
        self._kinds = kinds
        self._text = text
        self._fields = fields

    def to_problem(self, error: Exception) -> Exception:
        """Return the contract's Problem for an error, or the error itself where the table has none for it."""
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
