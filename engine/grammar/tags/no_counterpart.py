"""The sign that only xgrammar reads a grammar."""


class NoCounterpart(Exception):
    """The grammar has a part that llguidance's dialect cannot say."""
