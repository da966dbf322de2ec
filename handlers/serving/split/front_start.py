"""The message with which the engine's process starts one that answers HTTP."""

import sys
from typing import Final, NamedTuple

from engine.info.model_info import ModelInfo
from handlers.settings.settings import Settings

URL: Final = "http://localhost"  # of the engine's process, at its socket


class FrontStart(NamedTuple):
    """name: the process's own. socket: the path of the engine's. model_info: what the engine serves."""

    name: str
    settings: Settings
    socket: str
    model_info: ModelInfo


def command(listener: int, reports: int) -> list[str]:
    """Return the command of the process.

    listener, reports: the descriptors that it inherits, of the socket that it listens on and of the pipe to
    which it writes a byte once it is ready.
    """
    return [sys.executable, "-P", "-m", "handlers.serving.split.front_process", str(listener), str(reports)]
