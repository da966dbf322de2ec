"""The openings of calls without their marker, in the lines of an answer's content; pure.

Some are no prose wherever they stand. Others are prose but at the start of a line, and in a code fence, which
shows what a call looks like.
"""

import re
from collections.abc import Sequence
from typing import Final

from handlers.chat.markers import partial_suffix

_FENCES: Final = ("```", "~~~")
_MAX_LINE: Final = 256  # characters that are kept of a line


class Lines:
    """The lines of the content so far: what there is of the last, and whether it is in a code fence.

    strays: texts that begin a call anywhere. line_starts: texts that begin one at the start of a line.
    """

    def __init__(self, strays: Sequence[str], line_starts: Sequence[str]) -> None:
        self._strays = strays
        self._line_starts = line_starts
        fence, start, stray = ("|".join(map(re.escape, texts)) for texts in (_FENCES, line_starts, strays))
        at_line = rf"^[ \t]*+(?:(?P<fence>{fence})|(?P<start>{start or '(?!)'}))"
        self._pattern = re.compile(rf"{at_line}|(?P<stray>{stray or '(?!)'})", re.MULTILINE)
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

    def opening(self, text: str, *, is_final: bool) -> tuple[int, bool]:
        """Return the place in the text after the content at which a call may begin, or the start of one that
        the text breaks off in, and whether it is whole.
        """
        if not (self._strays or self._line_starts):
            return len(text), False
        in_fence = self._in_fence
        for found in self._pattern.finditer(self._last + text):
            kind = found.lastgroup or "fence"
            at = found.start(kind) - len(self._last)
            if kind == "fence":
                in_fence = not in_fence
            elif at >= 0 and not (kind == "start" and in_fence):
                return at, True
        return len(text) - (0 if is_final else self._num_begun(text)), False

    def _num_begun(self, text: str) -> int:
        last = (self._last + text[-_MAX_LINE:]).rpartition("\n")[2].lstrip()
        is_begun = bool(last) and len(last) <= len(text)
        is_line = is_begun and any(start.startswith(last) for start in self._line_starts)
        return max(len(last) if is_line else 0, partial_suffix(text, self._strays))
