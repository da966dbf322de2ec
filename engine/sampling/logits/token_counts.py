"""The distinct tokens of a sequence, and their number of occurrences in its output."""

from collections.abc import Sequence
from copy import copy

import torch
from torch import Tensor

from engine.host.transfers import upload

_MIN_CAPACITY = 64


class TokenCounts:
    """The distinct tokens of a sequence and their counts in its output, updated on the device by each token.

    They are sparse: a text of a thousand tokens has a few hundred distinct ones, of a vocabulary of 10^5.
    """

    def __init__(self, prompt_token_ids: Sequence[int], device: torch.device) -> None:
        """Start with the prompt's tokens, each with a count of 0."""
        prompt = list(dict.fromkeys(prompt_token_ids))
        self._slots = {token_id: slot for slot, token_id in enumerate(prompt)}
        capacity = max(_MIN_CAPACITY, 2 * len(prompt))
        self._ids = torch.zeros(capacity, dtype=torch.int64, device=device)
        self._counts = torch.zeros(capacity, dtype=torch.float32, device=device)
        self._ids[: len(prompt)] = upload(prompt, device, torch.int64)

    def add(self, token_id: int) -> None:
        """Count an occurrence of this token in the output."""
        slot = self._slots.setdefault(token_id, len(self._slots))
        if slot == len(self._ids):
            self._ids = torch.cat([self._ids, torch.zeros_like(self._ids)])
            self._counts = torch.cat([self._counts, torch.zeros_like(self._counts)])
        self._ids[slot] = token_id
        self._counts[slot] += 1

    def fork(self) -> "TokenCounts":
        """Return a copy for a sequence that continues on its own from here."""
        child = copy(self)
        child._slots = self._slots.copy()
        child._ids, child._counts = self._ids.clone(), self._counts.clone()
        return child

    @property
    def ids(self) -> Tensor:
        """The distinct tokens, [m] int64."""
        return self._ids[: len(self._slots)]

    @property
    def counts(self) -> Tensor:
        """The number of occurrences of each of `ids` in the output, [m] float32."""
        return self._counts[: len(self._slots)]
