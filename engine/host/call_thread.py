"""The thread that makes calls one after another."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class CallThread:
    """A single-thread executor that does not block interpreter exit."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, call: Callable[..., T], *arguments: Any) -> Future[T]:
        """Add a call. Any thread may do so, before `end`."""
        future: Future[T] = Future()

        def make() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(call(*arguments))
            except BaseException as error:
                future.set_exception(error)

        self._calls.put(make)
        return future

    def end(self) -> None:
        """End the thread once all submitted calls are made."""
        self._calls.put(None)

    def join(self, timeout_s: float) -> bool:
        """Wait for the end, from any other thread, after `end`. Returns False after `timeout_s`."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call  # and with it its result, before the wait for the next
