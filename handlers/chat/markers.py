"""The search for tags in text that arrives in pieces; pure."""

import re
from collections.abc import Iterable


def partial_suffix(text: str, markers: Iterable[str]) -> int:
    """Return the length of the longest end of `text` that further text may complete to one of the markers."""
    return max((_overlap(text, marker) for marker in markers), default=0)


def _overlap(text: str, marker: str) -> int:
    end = text[max(len(text) - len(marker) + 1, 0) :]
    start = end.find(marker[0])  # mostly there is none, and this is asked of every token
    while start >= 0 and not marker.startswith(end[start:]):
        start = end.find(marker[0], start + 1)
    return len(end) - start if start >= 0 else 0


class MarkerFilter:
    """A filter that leaves markers out of a text. No marker may contain another.

    It removes special tokens that the engine keeps only because one of the model's tags is special too.
    """

    def __init__(self, markers: Iterable[str]) -> None:
        self._markers = tuple(markers)
        self._pattern = re.compile("|".join(map(re.escape, self._markers)) or "(?!)")
        self._held = ""

    def feed(self, text: str) -> str:
        """Return the text that is certain after this piece."""
        *certain, rest = self._pattern.split(self._held + text)
        end = len(rest) - partial_suffix(rest, self._markers)
        self._held = rest[end:]
        return "".join(certain) + rest[:end]

    def finish(self) -> str:
        """Return the text that was held back."""
        held, self._held = self._held, ""
        return held
