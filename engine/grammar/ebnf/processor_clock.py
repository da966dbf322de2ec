"""The processor time of a thread without what Python's garbage collector takes of it."""

import gc
import time
from threading import local
from typing import Any


class _Collections(local):
    """The collections that ran in this thread. A full one may take as long as a thousand tokens."""

    total_s = 0.0
    started_s = 0.0


_collections = _Collections()


def _note_collection(phase: str, info: dict[str, Any]) -> None:
    if phase == "start":
        _collections.started_s = time.thread_time()
    else:
        _collections.total_s += time.thread_time() - _collections.started_s


gc.callbacks.append(_note_collection)


def processor_s() -> float:
    """Return the processor time of this thread in seconds, from any start. It takes a microsecond."""
    return time.thread_time() - _collections.total_s
