"""The limit on how long the threads of torch and of our compiled code spin before they sleep."""

import os

# About ten microseconds. A thread is rarely later, unless another process has its core; then a spinning
# thread takes a core from the thread that it waits for.
_SPINS = "1000"


def limit_spinning() -> None:
    """Make libgomp spin for less than its default of milliseconds, unless the environment says otherwise.

    Call it before torch is imported, which loads libgomp.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)
