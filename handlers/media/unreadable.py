"""The error of a part that cannot be read."""


class CannotRead(Exception):
    """A part that cannot be read; the message says why, for the client."""
