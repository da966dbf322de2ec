"""The tuning of the garbage collector for a process that serves."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Requests leave next to no cycles behind; Python would look for some after each 700 objects.
_MAX_NEW_OBJECTS: Final = 10_000


@contextmanager
def collector_off() -> Iterator[None]:
    """Turn the collector off while the block runs, until `freeze_start_up`; unfreeze all objects at its end.

    Imports make hundreds of thousands of objects that stay, and the collector visits them again and again as
    they become more: a quarter of the time that the imports take.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()  # libraries that count their objects at the end would say that these leaked


def freeze_imports() -> None:
    """Freeze all objects without a collection; garbage among them stays, some megabytes."""
    gc.freeze()


def freeze_start_up() -> None:
    """Freeze all objects, which live as long as the server, and turn the collector on.

    Libraries and a model are several hundred thousand objects. A full collection, which visits them all,
    would stop every request and the engine for some tenths of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MAX_NEW_OBJECTS)
    gc.enable()
