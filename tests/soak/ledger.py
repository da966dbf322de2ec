"""Watches what a core tells: one end a sequence or one error a request, and nothing after it."""

from collections import Counter
from typing import Any

from engine.core.core import EngineCore
from engine.core.job_table import Output
from engine.port.errors import EngineError
from engine.port.events import Embedding, TokenEvent
from engine.port.request import EmbeddingRequest, GenerationRequest


class Ledger:
    """Stands between a core and who uses it. num_ended: requests by how they ended."""

    def __init__(self, core: EngineCore) -> None:
        self.num_ended: Counter[str] = Counter()
        self.num_added = 0
        self._open: dict[int, dict[int, int]] = {}  # arrival -> sequence that goes on -> its next position
        self._core = core
        self._add, self._embed, self._abort, self._step = core.add, core.embed, core.abort, core.step
        core.add, core.embed = self.add, self.embed  # type: ignore[method-assign]
        core.abort, core.step = self.abort, self.step  # type: ignore[method-assign]

    def add(self, arrival: int, request: GenerationRequest, *args: Any, **options: Any) -> None:
        self._add(arrival, request, *args, **options)
        self._open[arrival] = dict.fromkeys(range(request.num_sequences), 0)
        self.num_added += 1

    def embed(self, arrival: int, request: EmbeddingRequest, **options: Any) -> None:
        self._embed(arrival, request, **options)
        self._open[arrival] = {}
        self.num_added += 1

    def abort(self, arrival: int) -> None:
        self._abort(arrival)
        if self._open.pop(arrival, None) is not None:
            self.num_ended["aborted"] += 1

    def step(self) -> list[Output]:
        outputs = self._step()
        for arrival, event in outputs:
            self._enter(arrival, event)
        return outputs

    def _enter(self, arrival: int, event: TokenEvent | Embedding | EngineError) -> None:
        sequences = self._open[arrival]  # a KeyError is an event after the end
        if isinstance(event, TokenEvent):
            assert event.position == sequences.pop(event.index), "a token is missing or comes again"
            if event.finish is None:
                sequences[event.index] = event.position + 1
        if not sequences or isinstance(event, EngineError):
            del self._open[arrival]
            self.num_ended["failed" if isinstance(event, EngineError) else "finished"] += 1

    def assert_closed(self) -> None:
        assert not self._open, "requests that never ended"
        assert self.num_ended.total() == self.num_added
