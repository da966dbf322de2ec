"""The search for the end of a JSON object in text that arrives in pieces; pure."""

import re

_STRUCTURE = re.compile(r'["{}\[\]]')
_IN_STRING = re.compile(r'["\\]')


class JsonSpan:
    """A scanner of strings and nesting, from an object's opening brace to the brace that closes it.

    It does not check that the text is valid JSON; the end of an invalid object may be anywhere, or nowhere.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._is_escaped = False

    def feed(self, text: str) -> int | None:
        """Return the index in `text` just past the object's end, or None if it does not end there."""
        at = 0
        if self._is_escaped and text:
            at, self._is_escaped = 1, False
        while found := (_IN_STRING if self._in_string else _STRUCTURE).search(text, at):
            at = found.end()
            match found.group():
                case '"':
                    self._in_string = not self._in_string
                case "\\":
                    self._is_escaped = at == len(text)
                    at += 1
                case "{" | "[":
                    self._depth += 1
                case _:
                    self._depth -= 1
                    if self._depth == 0:
                        return at
        return None
