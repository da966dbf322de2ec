"""Tests that a server still answers others while it is attacked."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.attack.clients.wire import connect, read_answer, request_bytes

_INTERVAL_S = 0.02


class Pulse:
    """Seconds that each answer of `/health` took while the block ran."""

    def __init__(self) -> None:
        self.beats_s: list[float] = []
        self._beaten = threading.Condition()

    def add(self, seconds: float) -> None:
        """Take down an answer's time."""
        with self._beaten:
            self.beats_s.append(seconds)
            self._beaten.notify_all()

    def wait_for(self, num_beats: int, timeout_s: float = 30.0) -> bool:
        """Wait for so many answers; return whether they have come."""
        with self._beaten:
            return self._beaten.wait_for(lambda: len(self.beats_s) >= num_beats, timeout_s)

    @property
    def slowest_s(self) -> float:
        return max(self.beats_s)


@contextmanager
def pulse(url: str) -> Iterator[Pulse]:
    """Ask for `/health` every 20 ms over one connection; each answer must have status 200.

    Raises what the thread that asks ran into, when the block ends.
    """
    taken = Pulse()
    is_over = threading.Event()
    failures: list[Exception] = []
    thread = threading.Thread(target=_beat, args=(url, taken, is_over, failures), daemon=True)
    thread.start()
    try:
        yield taken
    finally:
        is_over.set()
        thread.join()
    if failures:
        raise failures[0]


def _beat(url: str, taken: Pulse, is_over: threading.Event, failures: list[Exception]) -> None:
    try:
        with connect(url) as connection:
            while True:
                started = time.perf_counter()
                connection.sendall(request_bytes("/health"))
                answer = read_answer(connection)
                taken.add(time.perf_counter() - started)
                if answer.status != 200:
                    raise AssertionError(f"/health answered {answer.status}: {answer.body!r}")
                if is_over.wait(_INTERVAL_S):
                    return
    except Exception as error:
        failures.append(error)
