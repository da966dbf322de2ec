"""How long the threads of torch and of our compiled code wait for one another before they sleep."""

import os

# Some ten microseconds. A thread that is waited for is hardly ever later, unless another process has its
# core: then who spins keeps a core from the thread that it waits for.
_SPINS = "1000"


def limit_spinning() -> None:
    """Has libgomp spin for less than its milliseconds, if the environment says nothing.

    To be called before torch is imported, which loads it.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)
