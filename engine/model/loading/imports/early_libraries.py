"""torch's shared libraries, which Linux loads in a thread of its own while other modules are imported.

That takes 0.2 s of processor time, most of it to bind symbols, for which Python's own import keeps the
interpreter's lock. An import of torch afterwards finds them loaded.
"""

import ctypes
import os
import sys
import threading
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

THREAD_NAME: Final = "torch-libraries"
# In the order and with the flags with which torch's import loads them itself.
_LIBRARIES: Final = (
    ("libtorch_global_deps.so", ctypes.RTLD_GLOBAL),
    ("libtorch_python.so", ctypes.RTLD_LOCAL),
)


def begin_loading_libraries() -> threading.Thread | None:
    """Begin to load the libraries; None where that is not possible, or torch is imported already.

    The variables that they read must be set before. A process that ends meanwhile waits for the thread, since
    code may run in them that expects no end.
    """
    found = None if sys.platform != "linux" or "torch" in sys.modules else PathFinder.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]) / "lib"
    try:
        load = ctypes.CDLL(None).dlopen  # called as any function, it needs no lock
    except AttributeError:  # of an older C library, which has it elsewhere
        return None
    load.restype = ctypes.c_void_p
    load.argtypes = [ctypes.c_char_p, ctypes.c_int]

    def run() -> None:
        for name, scope in _LIBRARIES:
            if load(os.fsencode(folder / name), os.RTLD_NOW | scope) is None:
                return  # the import of torch finds another way, or reports it

    thread = threading.Thread(target=run, name=THREAD_NAME)
    thread.start()
    return thread
