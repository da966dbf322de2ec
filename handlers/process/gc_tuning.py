"""Tuning of Python's garbage collector for a server process."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Requests create almost no reference cycles, and Python's default threshold is 700 objects.
_MAX_NEW_OBJECTS: Final = 10_000


@contextmanager
def collector_off() -> Iterator[None]:
    """Disable the collector for the block, or until `freeze_start_up`; unfreeze all objects at the end.

    Imports create hundreds of thousands of permanent objects, which the collector would visit again and
    again; that takes a quarter of the imports' time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()  # otherwise libraries that count their objects at exit report leaks


def freeze_imports() -> None:
    """Freeze all objects without a collection; some megabytes of garbage among them are never freed."""
    gc.freeze()


def freeze_start_up() -> None:
    """Collect garbage, freeze all objects, which live as long as the server, and enable the collector.

    Libraries and a model have several hundred thousand objects. A full collection that visits them would stop
    all requests and the engine for some tenths of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MAX_NEW_OBJECTS)
    gc.enable()
