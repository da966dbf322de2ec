"""Greedy decoding by batches of rows (token, position, sequence). Standard library only."""

from abc import ABC, abstractmethod
from typing import NamedTuple

from driver import Steps

MAX_SEQUENCES, MAX_TOKENS = 32, 32 * 704
PROMPT_BATCH = 2048


class BatchRow(NamedTuple):
    """A token to compute. is_wanted: return the token that follows it."""

    token: int
    position: int
    sequence: int
    is_wanted: bool


class DecodeBatches(ABC):
    """Greedy decoding of several prompts in parallel, for an engine that computes batches of rows."""

    @abstractmethod
    def clear(self) -> None:
        """Clear the KV cache of all sequences."""

    @abstractmethod
    def decode(self, rows: list[BatchRow]) -> list[int]:
        """Compute at most PROMPT_BATCH rows, and return the most likely token after each wanted row."""

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        """Run all prompts in parallel, as in driver.Peer."""
        self.clear()
        steps = Steps()
        latest = self._prefill(prompts)
        steps.add(len(prompts))
        for place in range(num_tokens - 1):
            rows = [
                BatchRow(token, len(prompt) + place, index, True)
                for index, (prompt, token) in enumerate(zip(prompts, latest, strict=True))
            ]
            latest = self.decode(rows)
            steps.add(len(prompts))
        return steps.measured

    def _prefill(self, prompts: list[list[int]]) -> list[int]:
        """Return the first tokens. Each batch has as many complete prompts as fit."""
        latest: list[int] = []
        rows: list[BatchRow] = []
        for index, prompt in enumerate(prompts):
            if len(rows) + len(prompt) > PROMPT_BATCH:
                latest += self.decode(rows)
                rows = []
            last = len(prompt) - 1
            rows += [BatchRow(token, place, index, place == last) for place, token in enumerate(prompt)]
        return latest + self.decode(rows)
