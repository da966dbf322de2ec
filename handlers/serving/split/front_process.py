"""A process that answers HTTP over the engine of another process on this machine; it loads no torch.

Its standard input has a FrontStart, pickled, and ends when the engine's process does, however that ends; this
one then stops too. The arguments are the descriptors of the socket that it listens on, and of the pipe to
which it writes a byte once it is ready.
"""

import os
import signal
import socket
import sys

from engine.remote.without_torch import import_without_torch
from handlers.process.end_by_signal import end_now
from handlers.process.gc_tuning import collector_off


def main(listener: socket.socket, reports: int) -> int:
    """Return the exit status. reports: the descriptor of the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until it serves: the engine's process ends this one
    os.set_inheritable(reports, False)
    with collector_off():
        import_without_torch()
        # Its imports take a second, in which the collector would find nothing.
        from handlers.serving.split.front import serve_front

        return serve_front(listener, reports)


if __name__ == "__main__":
    end_now(main(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])))
