"""Synthetic prompts: random numbers, of a length in the server's tokens."""

import random
from typing import Final

from handlers.commands.bench.client import Client, Unusable

_NUM_PROBES: Final = 4
# Fields that not every server takes, in the order in which they are given up.
_OPTIONAL_FIELDS: Final = ("ignore_eos", "stream_options")


class Prompts:
    """Makes prompts that differ from their first word on, so that no cache of prefixes has them."""

    def __init__(self, num_tokens: int, seed: int) -> None:
        self._num_tokens = num_tokens
        self._random = random.Random(seed)
        self._num_words = num_tokens
        self.notes: list[str] = []
        """What the server does not support, for whoever reads the figures."""

    def next(self) -> str:
        """Return a prompt of numbers of three digits: most tokenizers make equally many tokens of each."""
        return " ".join(str(self._random.randrange(100, 1000)) for _ in range(self._num_words))

    async def calibrate(self, client: Client) -> None:
        """Set the number of words by the server's own counts of a few prompts. Raises Unusable.

        Fields that the server refuses are taken out of the client's body.
        """
        self._num_words = 1
        shortest = await self._count(client)
        words = tokens = 0
        self._num_words = max(2, self._num_tokens // 4)
        for _ in range(_NUM_PROBES):
            words += self._num_words - 1
            tokens += await self._count(client) - shortest
            if tokens <= 0:
                raise Unusable("the server's counts of prompt tokens do not grow with the prompt")
            self._num_words = max(2, 1 + round((self._num_tokens - shortest) * words / tokens))

    async def _count(self, client: Client) -> int:
        """Return the server's count of a prompt's tokens, or the number of words if it does not count."""
        exchange = await client.ask(self.next(), 2)
        for name in _OPTIONAL_FIELDS:
            if exchange.status in (400, 422) and client.body.pop(name, None):
                self.notes.append(f"the server refuses {name}")
                exchange = await client.ask(self.next(), 2)
        if exchange.error:
            raise Unusable(f"the server does not answer a prompt: {exchange.error}")
        if exchange.num_prompt_tokens is None and not any("count" in note for note in self.notes):
            self.notes.append("the server does not count tokens: a word and an event are taken for one each")
        return exchange.num_prompt_tokens or self._num_words
