"""The model that servers compute, as a request to them needs it; no torch."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from engine.port.request import GenerationRequest
from engine.port.text.tokenizer import Tokenizer
from engine.remote.fleet.server import Server
from engine.remote.wire.token_api import TokenApi


class ServedModel:
    """A model on one or more servers. num_running: the number of sequences that these compute for us."""

    def __init__(self, api: TokenApi, name: str, tokenizer: Tokenizer, servers: Sequence[Server]) -> None:
        """Make a model of which nothing runs. name: the servers' name for it."""
        self.api = api
        self.tokenizer = tokenizer
        self.servers = servers
        self.num_running = 0
        self._name = name

    def body(self, request: GenerationRequest, index: int) -> Callable[[], Sequence[bytes]]:
        """Return what makes the body that asks for one sequence of a request."""
        return partial(self.api.body, request, index, self._name, self.tokenizer)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a sequence among those that run within the block."""
        self.num_running += 1
        try:
            yield
        finally:
            self.num_running -= 1
