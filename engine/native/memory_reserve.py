"""Memory in huge pages that Linux provides ahead of time, in a thread of its own, while modules are imported.

The first write to a page makes Linux clear it. For the weights of a model this takes as long as laying them
out, or several times as long in a virtual machine whose host has to find the memory too.
"""

import ctypes
import mmap
import threading
import weakref
from typing import Final

_HUGE_PAGE: Final = 1 << 21
_STEP: Final = _HUGE_PAGE  # that is provided at once, while nothing else of the process can be mapped
_POPULATE_WRITE: Final = 23  # MADV_POPULATE_WRITE, since Linux 5.14


class MemoryReserve:
    """A range of memory whose pages are provided one after another from its beginning.

    Raises OSError if it cannot be had. Requires Linux.
    """

    def __init__(self, num_bytes: int) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.mmap.restype = ctypes.c_void_p
        size = -(-num_bytes // _HUGE_PAGE) * _HUGE_PAGE
        mapped = self._map(size + _HUGE_PAGE)
        self._next = self._ready = -(-mapped // _HUGE_PAGE) * _HUGE_PAGE
        self._end = self._next + size
        self._unmap(mapped, self._next)
        self._unmap(self._end, mapped + size + _HUGE_PAGE)
        self._advise(self._next, size, mmap.MADV_HUGEPAGE)
        self._is_ended = False
        self._taking = threading.Lock()
        self._thread = threading.Thread(target=self._provide, name="memory-reserve", daemon=True)
        self._thread.start()

    def take(self, num_bytes: int) -> "ctypes.Array[ctypes.c_char] | None":
        """Return memory that is returned to Linux with the last reference to it.

        It begins at a page of `mmap.PAGESIZE`. Returns None if not as much is left of what is provided yet.
        Any thread may take some.
        """
        with self._taking:
            begin = self._next
            end = begin + -(-num_bytes // mmap.PAGESIZE) * mmap.PAGESIZE
            if self._is_ended or end > self._ready:
                return None
            self._next = end
        memory = (ctypes.c_char * num_bytes).from_address(begin)
        # Threads may use it until the very end of the process.
        weakref.finalize(memory, self._unmap, begin, end).atexit = False
        return memory

    def wait(self, timeout_s: float | None = None) -> None:
        """Wait until all of it is provided, or no more can be."""
        self._thread.join(timeout_s)

    def end(self) -> None:
        """Return to Linux all that was not taken."""
        with self._taking:
            self._is_ended = True
        self.wait()
        self._unmap(self._next, self._end)
        self._next = self._end

    def _provide(self) -> None:
        while self._ready < self._end and not self._is_ended:
            size = min(_STEP, self._end - self._ready)
            if not self._advise(self._ready, size, _POPULATE_WRITE):
                return  # an older Linux, or no memory is left
            self._ready += size

    def _advise(self, address: int, size: int, advice: int) -> bool:
        status: int = self._libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), advice)
        return status == 0

    def _map(self, size: int) -> int:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        place = ctypes.c_size_t(size), mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, ctypes.c_int64(0)
        address: int = self._libc.mmap(None, *place)
        if address == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "no memory can be mapped")
        return address

    def _unmap(self, begin: int, end: int) -> None:
        if begin < end:
            self._libc.munmap(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin))
