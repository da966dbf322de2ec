"""A request that its document allows and a rule forbids that no schema can state."""

from handlers.errors.violation import Violation


class Refused(Exception):
    """Another field, a limit of the server or its model decides; the message is a sentence for the client.

    field: the one at fault, in the document's terms (`messages[0].content`); empty where there is no one.
    violation: what is wrong with it.
    """

    def __init__(self, message: str, field: str = "", violation: Violation = Violation.INVALID_VALUE) -> None:
        super().__init__(message)
        self.field = field
        self.violation = violation
