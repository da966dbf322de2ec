"""The protocol for sources of drafts."""

from collections.abc import Sequence as Row
from typing import Protocol

from engine.scheduling.sequence import Sequence


class Proposer(Protocol):
    """A source of tokens that may come next in a sequence: its own text, or a smaller model.

    A proposal may be wrong, or none; it decides about speed alone. A proposer may keep what it knows of a
    sequence for as long as that one lives, in a `WeakKeyDictionary`; the tokens of a sequence only ever grow.
    """

    def propose(self, wanted: Row[tuple[Sequence, int]]) -> list[list[int]]:
        """Return a draft for each sequence, of at most as many tokens as stand beside it; [] for none."""
