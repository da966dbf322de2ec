"""The acceptance of drafts: how often a proposed token comes true in one sequence; pure, no clock."""

from collections.abc import Sequence

from engine.speculation.proposer import Proposal

# The chance of a token by the number of tokens before it that matched, from one to eight and more, until the
# sequence has shown its own. Texts that repeat their prompt have more, others less.
_PRIOR_CHANCES = (0.1, 0.25, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9)
_PRIOR_WEIGHT = 4.0  # tokens
# The share of what was seen that is left after another token: a text may change.
_KEPT = 0.99


class Acceptance:
    """The chances of one sequence's proposed tokens.

    Every proposal is compared with the text that came, whether a step verified it or not. So nothing has to
    be tried at the cost of rows, and a text that begins to repeat itself is noticed as soon as it does.
    """

    def __init__(self) -> None:
        self._num_true = [0.0] * len(_PRIOR_CHANCES)
        self._num_seen = [0.0] * len(_PRIOR_CHANCES)

    def chance(self, num_matched: int) -> float:
        """Return the chance that a token comes true, if those before it did.

        num_matched: the number of tokens before it that equal those before the place from which it comes.
        """
        place = _place(num_matched)
        true = _PRIOR_WEIGHT * _PRIOR_CHANCES[place] + self._num_true[place]
        return true / (_PRIOR_WEIGHT + self._num_seen[place])

    def record(self, proposal: Proposal, came: Sequence[int]) -> None:
        """Compare a proposal with the tokens that came. Those after the first that differs say nothing."""
        kept = _KEPT ** len(came)
        self._num_true = [kept * number for number in self._num_true]
        self._num_seen = [kept * number for number in self._num_seen]
        for offset, (proposed, token_id) in enumerate(zip(proposal.token_ids, came, strict=False)):
            place = _place(proposal.num_matched + offset)
            self._num_seen[place] += 1
            if proposed != token_id:
                return
            self._num_true[place] += 1


def _place(num_matched: int) -> int:
    return min(max(num_matched, 1), len(_PRIOR_CHANCES)) - 1
