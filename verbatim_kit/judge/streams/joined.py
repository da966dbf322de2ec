"""The check of a text that must repeat the pieces of earlier items."""

from collections.abc import Iterator
from typing import Any

from verbatim_kit.json_pointer import look_up
from verbatim_kit.judge.exchange import Fault
from verbatim_kit.judge.streams.laws import Joined


class JoinedText:
    """The state of one law of `joined`: the text of all pieces so far."""

    def __init__(self, law: Joined) -> None:
        self._law = law
        self._pieces: list[str] = []

    def take(self, item: Any, place: str) -> Iterator[Fault]:
        """Yield the faults of the next item's text. An item without a text there need not repeat anything."""
        if self._law.where is None or self._law.where.allows(item):
            piece = look_up(item, self._law.of)
            self._pieces += [piece] if isinstance(piece, str) else []
        whole = look_up(item, self._law.whole)
        if isinstance(whole, str) and whole != (due := "".join(self._pieces)):
            yield Fault("stream", "/".join((place, *self._law.whole)), f"{whole!r} should be {due!r}")
