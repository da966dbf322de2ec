"""The error about a value of a request, before a contract words it."""

from typing import Any, NamedTuple

from handlers.errors.violation import Violation


class InvalidValue(NamedTuple):
    """The error to report for an invalid value.

    field: its path (`messages[0].content`), empty for the whole body. reason: a predicate ("must be a
    string"), or a sentence for the whole body. given: the value at the path; None where there is none.
    """

    field: str
    reason: str
    violation: Violation
    given: Any
