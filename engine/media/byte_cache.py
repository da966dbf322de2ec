"""A cache whose values take a bounded number of bytes; those unused for longest are dropped first."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from engine.port.info.stats import CacheStats

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class ByteCache(Generic[_Key, _Value]):
    """Values by key. Its methods may be called from any thread.

    num_bytes: of all values. num_hits, num_misses: of `get`, ever.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._values: OrderedDict[_Key, tuple[_Value, int]] = OrderedDict()
        self._lock = Lock()
        self.num_bytes = 0
        self.num_hits = 0
        self.num_misses = 0

    def stats(self) -> CacheStats:
        """Return the current numbers."""
        with self._lock:
            return CacheStats(num_hits=self.num_hits, num_misses=self.num_misses, num_bytes=self.num_bytes)

    def get(self, key: _Key) -> _Value | None:
        """Return the value of a key; None if there is none, or it was dropped."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                self.num_misses += 1
                return None
            self.num_hits += 1
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: _Key, value: _Value, num_bytes: int) -> None:
        """Keep a value, unless it takes by itself more than there may be."""
        if num_bytes > self._max_bytes:
            return
        with self._lock:
            if key in self._values:
                return
            self._values[key] = (value, num_bytes)
            self.num_bytes += num_bytes
            while self.num_bytes > self._max_bytes:
                _, (_, dropped) = self._values.popitem(last=False)
                self.num_bytes -= dropped
