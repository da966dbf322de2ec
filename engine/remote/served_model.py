"""The model that servers compute, as a request to them needs it; no torch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from engine.port.request import GenerationRequest
from engine.port.text.tokenizer import Tokenizer
from engine.remote.fleet.router import Router
from engine.remote.fleet.server import Server
from engine.remote.wire.token_api import TokenApi
from engine.scheduling.block_keys import BlockKeys, request_tags

# Of a prompt, which are some thousand tokens: each costs a hash in the event loop.
_MAX_KEYED_BLOCKS: Final = 256
# SGLang's pages may hold one token: as many keys would end within a system prompt that all requests share.
_MIN_KEYED_TOKENS: Final = 16  # of a block


class ServedModel:
    """A model on one or more servers. num_running: the number of sequences that these compute for us."""

    def __init__(
        self,
        api: TokenApi,
        name: str,
        tokenizer: Tokenizer,
        servers: Sequence[Server],
        *,
        block_size: int,
    ) -> None:
        """Make a model of which nothing runs.

        name: the servers' name for it. block_size: the number of tokens in a block of their caches.
        """
        self.api = api
        self.tokenizer = tokenizer
        self.router = Router(servers)
        self.num_running = 0
        self._name = name
        self._has_choice = len(servers) > 1
        self._block_size = max(block_size, _MIN_KEYED_TOKENS)

    def body(self, request: GenerationRequest, index: int) -> Callable[[], Sequence[bytes]]:
        """Return what makes the body that asks for one sequence of a request."""
        return partial(self.api.body, request, index, self._name, self.tokenizer)

    def keys(self, request: GenerationRequest) -> list[bytes]:
        """Return the keys of the prompt's first blocks, by which servers are chosen, if there are several."""
        if not self._has_choice:
            return []
        token_ids = list(request.prompt.token_ids[: _MAX_KEYED_BLOCKS * self._block_size])
        keys = BlockKeys(request_tags(request), self._block_size, request.prompt.media)
        return keys.of(token_ids, len(token_ids) // self._block_size)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a sequence among those that run within the block."""
        self.num_running += 1
        try:
            yield
        finally:
            self.num_running -= 1
