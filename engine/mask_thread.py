"""Fills the bitmasks of grammars while the model computes the logits that they are for."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from engine.grammar_state import GrammarState


class MaskThread:
    """One thread beside the one that steps; it starts with the first grammar."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="grammar-masks")

    @contextmanager
    def filling(self, grammars: Iterable[GrammarState]) -> Iterator[None]:
        """Within, the masks of these are filled, and nothing else may use them; after it, also where it
        raises, they are filled and the thread is idle.

        A mask that cannot be filled here is left to who applies it, so that the failure is that request's.
        """
        filled = [self._executor.submit(one.prepare) for one in grammars if not one.is_prepared]
        try:
            yield
        finally:
            for one in filled:
                one.exception()
