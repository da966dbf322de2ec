"""The garbage collector, of a process that serves."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Requests leave next to no cycles behind; Python would look for some after each 700 objects.
_MAX_NEW_OBJECTS: Final = 10_000


@contextmanager
def collector_off() -> Iterator[None]:
    """Within, nothing is collected until `freeze_start_up`. After it, what was frozen is not.

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
    """Takes all that there is from the collector, unvisited: what is garbage of it stays, some megabytes."""
    gc.freeze()


def freeze_start_up() -> None:
    """Takes all that there is from the collector, which is on from here on; it lives as long as the server.

    Libraries and a model are several hundred thousand objects. To visit them all, as the collector does now
    and then, stops every request and the engine for some tenths of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_MAX_NEW_OBJECTS)
    gc.enable()
