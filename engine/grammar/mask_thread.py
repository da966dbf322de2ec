"""The thread that fills the bitmasks of grammars while the model computes the logits to be masked."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from engine.grammar.drafted_mask import GrammarMask
from engine.host.call_thread import CallThread

# After the model, for the masks of one step. Thousands of masks of large vocabularies take less.
MAX_WAIT_S = 2.0


class MaskThread:
    """A thread beside the engine's; it starts with the first grammar."""

    def __init__(self, max_wait_s: float = MAX_WAIT_S) -> None:
        self._max_wait_s = max_wait_s
        self._thread: CallThread | None = None

    @contextmanager
    def filling(self, grammars: Iterable[GrammarMask]) -> Iterator[None]:
        """Fill the masks of these grammars while the block runs, within which nothing else may use them.

        When the block ends, also by an exception, the masks are filled and the thread is idle. A mask that
        cannot be filled here is left to the code that applies it, so that the failure is that request's. One
        that takes too long is given up together with the thread, which ends when the library returns; the
        masks behind it are left to the code that applies them.
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
        """End the thread. No mask may be filled afterwards."""
        self._abandon()

    def _started(self) -> CallThread:
        if self._thread is None:
            self._thread = CallThread("grammar-masks")
        return self._thread

    def _abandon(self) -> None:
        if self._thread is not None:
            self._thread.end()
            self._thread = None
