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


def command(descriptor: int) -> list[str]:
    """Return the command of the process, which inherits the socket that it listens on."""
    return [sys.executable, "-P", "-m", "handlers.serving.split.front_process", str(descriptor)]
