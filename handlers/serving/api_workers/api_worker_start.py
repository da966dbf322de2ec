"""The message with which the engine process starts an API worker."""

import sys
from typing import Final, NamedTuple

from engine.port.info.model_info import ModelInfo
from handlers.settings.settings import Settings

URL: Final = "http://localhost"  # of the engine process; the host is not used on a Unix socket


class ApiWorkerStart(NamedTuple):
    """The data that an API worker needs to start."""

    name: str
    """The name of the API worker."""

    settings: Settings
    """The settings of the server."""

    socket: str
    """The path of the engine's Unix socket."""

    model_info: ModelInfo
    """The description of the model that the engine serves."""


def command(listener: int, reports: int) -> list[str]:
    """Return the command line of an API worker.

    listener, reports: inherited file descriptors of the socket to listen on, and of the pipe to which a byte
    is written when the worker is ready.
    """
    return [
        sys.executable,
        "-P",
        "-m",
        "handlers.serving.api_workers.api_worker_process",
        str(listener),
        str(reports),
    ]
