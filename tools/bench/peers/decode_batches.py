"""Greedy decoding by rows of a token, its position and its sequence. Standard library only."""

from abc import ABC, abstractmethod
from typing import NamedTuple

from driver import Steps

MAX_SEQUENCES, MAX_TOKENS = 32, 32 * 704
PROMPT_BATCH = 2048


class BatchRow(NamedTuple):
    """A token to compute. is_wanted: whether the token that follows it is to be returned."""

    token: int
    position: int
    sequence: int
    is_wanted: bool


class DecodeBatches(ABC):
    """Greedy decoding of several prompts at once, over an engine that computes batches of rows."""

    @abstractmethod
    def clear(self) -> None:
        """Forget the keys and values of all sequences."""

    @abstractmethod
    def decode(self, rows: list[BatchRow]) -> list[int]:
        """Compute at most PROMPT_BATCH rows, and return the most probable token behind each wanted one."""

    def generate(self, prompts: list[list[int]], num_tokens: int) -> list[tuple[float, int]]:
        """Run all prompts at once, as driver.Peer says."""
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
        """The first tokens. Whole prompts together, as many as a batch takes."""
        latest: list[int] = []
        rows: list[BatchRow] = []
        for index, prompt in enumerate(prompts):
            if len(rows) + len(prompt) > PROMPT_BATCH:
                latest += self.decode(rows)
                rows = []
            last = len(prompt) - 1
            rows += [BatchRow(token, place, index, place == last) for place, token in enumerate(prompt)]
        return latest + self.decode(rows)
