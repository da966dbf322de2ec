"""Fills the bitmasks of grammars while the model computes the logits that they are for."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from engine.call_thread import CallThread
from engine.grammar.matcher import GrammarState

# After the model, for the masks of one step. Thousands of masks of large vocabularies take less.
MAX_WAIT_S = 2.0


class MaskThread:
    """One thread beside the one that steps; it starts with the first grammar."""

    def __init__(self, max_wait_s: float = MAX_WAIT_S) -> None:
        self._max_wait_s = max_wait_s
        self._thread: CallThread | None = None

    @contextmanager
    def filling(self, grammars: Iterable[GrammarState]) -> Iterator[None]:
        """Within, the masks of these are filled, and nothing else may use them; after it, also where it
        raises, they are filled and the thread is idle.

        A mask that cannot be filled here is left to who applies it, so that the failure is that request's.
        One that takes too long is given up, and with it the thread, which ends when xgrammar returns; those
        behind it are left to who applies them.
        """
        filled = [(one, self._started().submit(one.prepare)) for one in grammars if not one.is_prepared]
        try:
            yield
        finally:
            ends_at = time.monotonic() + self._max_wait_s
            for state, future in filled:
                try:
                    future.exception(max(0.0, ends_at - time.monotonic()))
                except TimeoutError:
                    if not future.cancel():
                        state.give_up()
                        self._abandon()

    def close(self) -> None:
        """Lets the thread end. Nothing may be filled afterwards."""
        self._abandon()

    def _started(self) -> CallThread:
        if self._thread is None:
            self._thread = CallThread("grammar-masks")
        return self._thread

    def _abandon(self) -> None:
        if self._thread is not None:
            self._thread.end()
            self._thread = None
