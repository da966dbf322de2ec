"""The program of an API worker, which serves HTTP on top of the engine of another process, without torch.

Standard input carries a pickled ApiWorkerStart and is closed when the engine process ends for any reason; the
API worker then stops too. The arguments are two file descriptors: the socket to listen on, and a pipe to
which a byte is written when the worker is ready.
"""

import os
import signal
import socket
import sys

from engine.remote.without_torch import import_without_torch
from handlers.process.end_by_signal import end_now
from handlers.process.gc_tuning import collector_off


def main(listener: socket.socket, reports: int) -> int:
    """Run the API worker and return its exit status. reports: file descriptor of the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the engine process gets it too, and stops this one
    os.set_inheritable(reports, False)
    with collector_off():
        import_without_torch()
        # The imports take a second; the garbage collector would slow them down for nothing.
        from handlers.serving.api_workers.api_worker import serve_api_worker

        return serve_api_worker(listener, reports)


if __name__ == "__main__":
    end_now(main(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])))
