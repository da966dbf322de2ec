"""A thread that takes items in batches, so that what is slow delays no request."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, Generic, TypeVar

_MAX_BATCH: Final = 1000
_PAUSE_S: Final = 0.05  # to wake the thread takes more time than to write a line

Item = TypeVar("Item")


class BatchThread(Generic[Item]):
    """A bounded queue, and the thread that takes from it.

    take: called in the thread with at least one item, or with none at the end. max_waiting: the most items in
    the queue. pause_s: seconds between batches.
    """

    def __init__(
        self, name: str, take: Callable[[list[Item]], object], max_waiting: int, pause_s: float = _PAUSE_S
    ) -> None:
        self._take = take
        self._pause_s = pause_s
        self._max_waiting = max_waiting
        self._waiting: SimpleQueue[Item | None] = SimpleQueue()  # a tenth of the cost of a Queue
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread. May be called once."""
        self._thread.start()

    def put(self, item: Item) -> bool:
        """Queue an item without blocking, and return whether there was room. For one thread only."""
        has_room = self._waiting.qsize() < self._max_waiting
        if has_room:
            self._waiting.put(item)
        return has_room

    def close(self, timeout_s: float) -> bool:
        """Have all queued items taken, and return whether that was done in time."""
        self._is_closing.set()
        self._waiting.put(None)  # wakes the thread
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not (self._is_closing.is_set() and self._waiting.empty()):
            batch = [self._waiting.get()]
            while len(batch) < _MAX_BATCH and not self._waiting.empty():
                batch.append(self._waiting.get())
            self._take([item for item in batch if item is not None])
            self._is_closing.wait(self._pause_s)
