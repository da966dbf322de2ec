"""Finding tags in text that arrives in pieces; pure."""

import re
from collections.abc import Iterable


def partial_suffix(text: str, markers: Iterable[str]) -> int:
    """Length of the longest end of `text` that may become one of the markers with what follows it."""
    return max((_overlap(text, marker) for marker in markers), default=0)


def _overlap(text: str, marker: str) -> int:
    end = text[max(len(text) - len(marker) + 1, 0) :]
    start = end.find(marker[0])  # mostly there is none, and this is asked of every token
    while start >= 0 and not marker.startswith(end[start:]):
        start = end.find(marker[0], start + 1)
    return len(end) - start if start >= 0 else 0


class MarkerFilter:
    """Leaves markers out of a text; none of them may stand inside another.

    For special tokens that are in the engine's text only because a tag of the model's is a special token too.
    """

    def __init__(self, markers: Iterable[str]) -> None:
        self._markers = tuple(markers)
        self._pattern = re.compile("|".join(map(re.escape, self._markers)) or "(?!)")
        self._held = ""

    def feed(self, text: str) -> str:
        """The text that is certain now."""
        *certain, rest = self._pattern.split(self._held + text)
        end = len(rest) - partial_suffix(rest, self._markers)
        self._held = rest[end:]
        return "".join(certain) + rest[:end]

    def finish(self) -> str:
        """What was held back."""
        held, self._held = self._held, ""
        return held
