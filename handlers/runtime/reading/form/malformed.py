"""The error of a body that is not the form that it says it is."""


class MalformedForm(Exception):
    """A body is not well-formed, or has more or larger parts than a request may have.

    field: the member at fault, which the message is then a predicate of; empty for the body.
    is_too_long: whether the body is well-formed, and only too large.
    """

    def __init__(self, message: str, field: str = "", *, is_too_long: bool = False) -> None:
        super().__init__(message)
        self.field = field
        self.is_too_long = is_too_long
