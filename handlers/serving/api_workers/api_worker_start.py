"""The message with which the engine's process starts one that answers HTTP."""

import sys
from typing import Final, NamedTuple

from engine.port.info.model_info import ModelInfo
from handlers.settings.settings import Settings

URL: Final = "http://localhost"  # of the engine's process, at its socket


class ApiWorkerStart(NamedTuple):
    """All that one API worker needs to start."""

    name: str
    """The process's name."""

    settings: Settings
    """The settings of the server."""

    socket: str
    """The path of the engine's socket."""

    model_info: ModelInfo
    """The description of the model that the engine serves."""


def command(listener: int, reports: int) -> list[str]:
    """Return the command of the process.

    listener, reports: the descriptors that it inherits, of the socket that it listens on and of the pipe to
    which it writes a byte once it is ready.
    """
    return [
        sys.executable,
        "-P",
        "-m",
        "handlers.serving.api_workers.api_worker_process",
        str(listener),
        str(reports),
    ]
