"""A real token server of another project as a process, and our engine over it beside our own."""

import os
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from engine.demo_model import DEMO_MODEL
from engine.remote.config import RemoteConfig
from engine.remote.remote_engine import RemoteEngine
from tests.support.token_servers.fronts import Recording, new_recording


class Engines(NamedTuple):
    """Verbatim's own engine, and the one over the server."""

    own: Recording
    over_server: RemoteEngine


def start(command: Sequence[str], env: Mapping[str, str], log: Path) -> tuple[str, "subprocess.Popen[bytes]"]:
    """Start the command with the option `--port` and a free port, and return its URL and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            env={**os.environ, **env},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    return f"http://127.0.0.1:{port}", process


@contextmanager
def running(command: Sequence[str], env: Mapping[str, str], log: Path) -> Iterator[str]:
    """Run the command as `start` does, and yield its URL."""
    url, process = start(command, env, log)
    try:
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)


@asynccontextmanager
async def engines_over(api: str, url: str, model: Path = DEMO_MODEL) -> AsyncIterator[Engines]:
    """Yield both engines of the embedded model in float32. model: its folder, or that of a copy."""
    remote = await RemoteEngine.start(
        RemoteConfig(model=str(model), api=api, urls=(url,), start_timeout_s=800)
    )
    own = await new_recording(model, max_total_tokens=None)
    yield Engines(own, remote)
    await own.stop()
    await remote.stop()
