"""Watches what a core tells: one end a sequence or one error a request, and nothing after it."""

from collections import Counter

from engine.core import EngineCore, Output
from engine.errors import EngineError
from engine.request import GenerationRequest


class Ledger:
    """Stands between a core and who uses it. num_ended: requests by how they ended."""

    def __init__(self, core: EngineCore) -> None:
        self.num_ended: Counter[str] = Counter()
        self.num_added = 0
        self._open: dict[int, dict[int, int]] = {}  # arrival -> sequence that goes on -> its next position
        self._core = core
        self._add, self._abort, self._step = core.add, core.abort, core.step
        core.add, core.abort, core.step = self.add, self.abort, self.step  # type: ignore[method-assign]

    def add(self, arrival: int, request: GenerationRequest, *args: object, **options: object) -> None:
        self._add(arrival, request, *args, **options)  # type: ignore[arg-type]
        self._open[arrival] = dict.fromkeys(range(request.num_sequences), 0)
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

    def _enter(self, arrival: int, event: object) -> None:
        sequences = self._open[arrival]  # a KeyError is an event after the end
        if isinstance(event, EngineError):
            del self._open[arrival]
            self.num_ended["failed"] += 1
            return
        assert event.position == sequences.pop(event.index), "a token is missing or comes again"  # type: ignore[attr-defined]
        if event.finish is None:  # type: ignore[attr-defined]
            sequences[event.index] = event.position + 1  # type: ignore[attr-defined]
        if not sequences:
            del self._open[arrival]
            self.num_ended["finished"] += 1

    def assert_closed(self) -> None:
        assert not self._open, "requests that never ended"
        assert self.num_ended.total() == self.num_added
