"""The error of a request that its schema allows but another rule forbids."""

from handlers.errors.violation import Violation


class Refused(Exception):
    """A request is invalid because of another field, a limit of the server, or its model.

    message: a sentence for the client. field: the invalid field, such as `messages[0].content`; empty if no
    single field is. violation: the kind of error.
    """

    def __init__(self, message: str, field: str = "", violation: Violation = Violation.INVALID_VALUE) -> None:
        super().__init__(message)
        self.field = field
        self.violation = violation
