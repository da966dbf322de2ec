"""The error of all decoders."""


class CannotDecode(Exception):
    """A file is none that can be read, or is over a bound. Its text is for the client."""
