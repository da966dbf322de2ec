"""A request that its document allows and a rule forbids that no schema can state."""


class Refused(Exception):
    """Another field, or a limit of the server, decides; the message is a sentence for the client.

    field: the one at fault, in the document's terms (`messages[0].content`); empty where there is no one.
    """

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field
