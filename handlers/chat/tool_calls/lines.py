"""The lines of an answer's content, of which those in code fences are shown and mean nothing; pure."""

import re
from collections.abc import Sequence
from typing import Final

_FENCES: Final = ("```", "~~~")
_MAX_LINE: Final = 256  # characters that are kept of a line


def line_starting(texts: Sequence[str]) -> "re.Pattern[str]":
    """Return the pattern of a line that begins a code fence, ends one, or begins with one of the texts."""
    fences, starts = ("|".join(map(re.escape, options)) for options in (_FENCES, texts))
    return re.compile(rf"^[ \t]*+(?:(?P<fence>{fences})|(?P<start>{starts}))", re.MULTILINE)


class Lines:
    """The lines of the content so far: what there is of the last, and whether it is in a code fence."""

    def __init__(self) -> None:
        self._last = ""
        self._in_fence = False

    def feed(self, content: str) -> None:
        *whole, last = content.split("\n")
        for line in whole:
            self._in_fence ^= (self._last + line).lstrip().startswith(_FENCES)
            self._last = ""
        self._last = (self._last + last)[:_MAX_LINE]

    def begin(self) -> None:
        """Begin a new line, as after a call."""
        self._last = ""

    def find(self, pattern: "re.Pattern[str]", text: str) -> int | None:
        """Return the place in the text that follows at which a line outside of code fences begins with one of
        the pattern's texts; None if none does.
        """
        in_fence = self._in_fence
        for found in pattern.finditer(self._last + text):
            at = found.start("start") - len(self._last)
            if found["fence"]:
                in_fence = not in_fence
            elif not in_fence and at >= 0:
                return at
        return None

    def num_begun(self, starts: Sequence[str], text: str) -> int:
        """Return how many characters at the end of the text may become one of the starts of a line."""
        last = (self._last + text).rpartition("\n")[2].lstrip()
        is_begun = bool(last) and len(last) <= len(text) and any(start.startswith(last) for start in starts)
        return len(last) if is_begun else 0
