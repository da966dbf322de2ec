"""The tree of labels' token sequences, whose probabilities are read node by node."""

from collections.abc import Iterator, Mapping, Sequence
from math import exp, fsum, inf

from handlers.active_requests.active_request import IncompleteGeneration
from handlers.decisions.labels import Spellings


class LabelTree:
    """The sequences of several labels, and what is known of their log-probabilities.

    A label's probability is the sum over its spellings, and that of a spelling the product over its tokens.
    Where all labels are single tokens, the root is the only node.
    """

    def __init__(self, labels: Sequence[Spellings]) -> None:
        self._labels = labels
        self._children: dict[tuple[int, ...], dict[int, None]] = {}
        for sequence in (sequence for spellings in labels for sequence in spellings):
            for length, token_id in enumerate(sequence):
                self._children.setdefault(sequence[:length], {})[token_id] = None
        self._logprobs: dict[tuple[int, ...], float] = {(): 0.0}

    def nodes(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Yield the tokens on the way to each node, and those that follow it; each node after its parent."""
        for way in sorted(self._children, key=len):
            yield way, tuple(self._children[way])

    def add(self, way: tuple[int, ...], logprobs: Mapping[int, float]) -> None:
        """Record the log-probabilities of the tokens that follow a node.

        Raises IncompleteGeneration if one is missing.
        """
        for token_id in self._children[way]:
            if token_id not in logprobs:
                raise IncompleteGeneration
            self._logprobs[(*way, token_id)] = self._logprobs[way] + logprobs[token_id]

    def probabilities(self) -> tuple[float, ...]:
        """Return the probability of each label among all of them; requires all nodes.

        Raises IncompleteGeneration if none of them is possible.
        """
        found = [[self._logprobs[sequence] for sequence in spellings] for spellings in self._labels]
        highest = max(map(max, found))
        if highest == -inf:
            raise IncompleteGeneration
        weights = [fsum(exp(logprob - highest) for logprob in logprobs) for logprobs in found]
        total = fsum(weights)
        return tuple(weight / total for weight in weights)
