"""The protocol for sources of drafts."""

from collections.abc import Sequence as SequenceOf
from typing import NamedTuple, Protocol

from engine.scheduling.sequence import Sequence


class Proposal(NamedTuple):
    """Tokens that may come next; none if `token_ids` is empty.

    num_matched: the number of tokens at the end of the text that equal those before the place from which the
    proposal comes: the more there are, the likelier it comes true.
    """

    token_ids: list[int]
    num_matched: int


class Proposer(Protocol):
    """A source of tokens that may come next in a sequence: its own text, or a smaller model.

    A proposal may be wrong, or none; it decides only about speed. A proposer may keep what it knows of a
    sequence for as long as that one lives, in a `WeakKeyDictionary`; the tokens of a sequence only ever grow.
    """

    def propose(self, wanted: SequenceOf[tuple[Sequence, int]]) -> list[Proposal]:
        """Return a proposal for each sequence, of at most as many tokens as stand next to it."""
