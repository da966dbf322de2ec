"""A process that answers HTTP over the engine of another process on this machine; it loads no torch.

Its standard input has a FrontStart, pickled, and ends when the engine's process does, however that ends; this
one then stops too. The argument is the descriptor of the socket that it listens on. It reports that it is
ready by a line on its standard output.
"""

import socket
import sys

from engine.remote.without_torch import import_without_torch
from handlers.process.gc_tuning import collector_off
from handlers.process.new_threads import end_now


def main(listener: socket.socket) -> int:
    """Return the exit status."""
    with collector_off():
        import_without_torch()
        # Its imports take a second, in which the collector would find nothing.
        from handlers.serving.split.front import serve_front

        return serve_front(listener)


if __name__ == "__main__":
    end_now(main(socket.socket(fileno=int(sys.argv[1]))))
